<?php
// Stripe and GitHub for hookproof.php: ../../spec/stripe.md and ../../spec/github.md.
declare(strict_types=1);

namespace Hookproof;

use stdClass;

require_once __DIR__ . '/hookproof.php';

const RFC3339 = '/\A(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)\z/';

/** A number, or RFC 3339 text without its fraction, as unix seconds; else null (S13). */
function seconds(mixed $value): ?string {
    if (is_string($value) && preg_match(RFC3339, $value, $part) === 1) {
        $value = strtotime($part[1] . $part[2]);
    }
    $good = (is_int($value) || is_float($value)) && $value >= 0 && $value <= MAX_SAFE && floor($value) == $value;
    return $good ? sprintf('%.0F', $value + 0.0) : null;
}

function stripe_event(stdClass $envelope): array {
    $event = ['id' => member($envelope, 'id', 'is_string'), 'type' => member($envelope, 'type', 'is_string')];
    $event['idSigned'] = true;
    $created = seconds($envelope->created ?? null);
    $snapshot = ($envelope->data ?? null) instanceof stdClass;
    $subject = $snapshot ? $envelope->data->object ?? null : $envelope->related_object ?? null;
    $kind = $snapshot ? 'object' : 'type';
    if ($created !== null) {
        $event['occurredAt'] = $created;
    }
    if ($subject instanceof stdClass && is_text($subject->$kind ?? null) && is_text($subject->id ?? null)) {
        $event['resource'] = ['kind' => $subject->$kind, 'id' => $subject->id];
    }
    return [$event, []];
}

/** GitHub signs no time (G2, G3). */
function read_hub(string $value): array {
    need(str_starts_with($value, 'sha256='), 'header_malformed');
    need(preg_match('/\Asha256=[0-9a-f]{64}\z/', $value) === 1, 'signature_malformed');
    return ['', null, [substr($value, 7)]];
}

function github_event(stdClass $envelope, array $headers): array {
    $event = ['type' => text(header($headers, 'x-github-event') ?? ''), 'idSigned' => false];
    $delivery = header($headers, 'x-github-delivery') ?? '';
    return [$delivery === '' ? $event : $event + ['id' => text($delivery)], []];
}

function sign_github(array $secrets, string $body): string {
    need($secrets && !in_array('', $secrets, true), 'secret_missing');
    need(count($secrets) === 1, 'secret_invalid');
    return 'sha256=' . mac($secrets[0], $body);
}

const STRIPE = ['stripe-signature', PAYMOS[1], 'Hookproof\stripe_event'];
const GITHUB = ['x-hub-signature-256', 'Hookproof\read_hub', 'Hookproof\github_event'];
