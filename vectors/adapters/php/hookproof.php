<?php
// Verifies signed webhooks, by the rules of ../../SPEC.md. PHP 8.0 or newer with its usual extensions.
declare(strict_types=1);

namespace Hookproof;

use stdClass;

/** The delivery is refused; the message is the reason. */
final class Refused extends \Exception {}

const MAX_SAFE = 9007199254740991.0;
const RESOURCES = [
    'invoice.' => ['invoice', 'invoice_id'],
    'withdrawal.' => ['withdrawal', 'withdrawal_id'],
    'payment_channel.deposit.' => ['payment_channel_deposit', 'id'],
];
const KNOWN = '/\A(?:'
    . 'invoice\.(?:awaiting_payment|confirming|underpaid_waiting|paid|paid_over|underpaid|expired|cancelled)'
    . '|withdrawal\.(?:created|processing|completed|failed|cancelled)'
    . '|payment_channel\.deposit\.(?:confirming|reorged|confirmed))\z/';
// json_decode takes neither a lone surrogate nor a member name that begins with NUL. The first match that
// is none of the two is left alone: another escape, or a pair.
const PAIR = '\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}';
const LONE = '/(?:' . PAIR . '|\\\\[^u])(*SKIP)(*FAIL)|\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}/';
const NUL_NAME = '/"\\\\u0000(?=[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"[ \t\r\n]*+:)/s';

function need(bool $condition, string $reason): void {
    $condition || throw new Refused($reason);
}

function mac(string $key, string $message): string {
    return hash_hmac('sha256', $message, $key);
}

/** The lines of that name joined (D5), as bytes; null when there is none. */
function header(array $headers, string $wanted): ?string {
    $lines = array_filter($headers, fn($line) => strcasecmp($line[0], $wanted) === 0);
    return $lines ? implode(', ', array_column($lines, 1)) : null;
}

/** Bytes of a header as UTF-8, one character for each byte. */
function text(string $bytes): string {
    return preg_replace_callback('/[\x80-\xff]/', fn($byte) => chr(0xC0 | ord($byte[0]) >> 6)
        . chr(0x80 | ord($byte[0]) & 0x3F), $bytes);
}

function signed_head(string $timestamp): string {
    need(preg_match('/\A(?:0|[1-9][0-9]{0,11})\z/', $timestamp) === 1, 'timestamp_malformed');
    return "$timestamp.";
}

/** A header t=…,v1=…: the signed bytes before the body, the time, the well-formed signatures. */
function read_timed(string $value): array {
    need(strlen($value) <= 4096, 'header_too_long');
    $found = ['t' => [], 'v1' => []];
    foreach (explode(',', $value) as $element) {
        [$key, $content] = explode('=', trim($element, " \t"), 2) + [1 => ''];
        $found[$key][] = $content;
    }
    $signatures = array_filter($found['v1'], fn($content) => $content !== '');
    need(count($found['t']) > 0, 'timestamp_missing');
    need(count($found['t']) === 1, 'timestamp_duplicate');
    $head = signed_head($found['t'][0]);
    need(count($signatures) > 0, 'signature_missing');
    need(count($signatures) <= 16, 'signatures_too_many');
    $signatures = array_map('strtolower', array_values(preg_grep('/\A[0-9A-Fa-f]{64}\z/', $signatures)));
    need(count($signatures) > 0, 'signature_malformed');
    return [$head, $found['t'][0], $signatures];
}

function is_text(mixed $value): bool {
    return is_string($value) && preg_match('/[^\x09-\x0D\x20\x{A0}]/u', $value) === 1;
}

/** @param callable(mixed): bool $is the type's own test, such as is_string */
function member(stdClass $envelope, string $name, callable $is): mixed {
    need(property_exists($envelope, $name), 'envelope_field_missing');
    need($is($envelope->$name), 'envelope_field_type');
    need($is !== 'is_string' || is_text($envelope->$name), 'envelope_field_value');
    return $envelope->$name;
}

function whole(stdClass $envelope, string $name, int $least): string {
    $number = (float) member($envelope, $name, fn($value) => is_int($value) || is_float($value));
    need(is_infinite($number) || floor($number) === $number, 'envelope_field_type');
    need($number >= $least && $number <= MAX_SAFE, 'envelope_field_value');
    return sprintf('%.0F', $number + 0.0); // the sum makes 0 of -0
}

function paymos_event(stdClass $envelope, array $headers): array {
    $event = ['id' => member($envelope, 'event_id', 'is_string')];
    $event['type'] = member($envelope, 'event_type', 'is_string');
    $event['known'] = preg_match(KNOWN, $event['type']) === 1;
    $event['version'] = whole($envelope, 'version', 1);
    $event['occurredAt'] = whole($envelope, 'occurred_at', 0);
    $data = member($envelope, 'data', 'is_object');
    foreach (RESOURCES as $prefix => [$kind, $name]) {
        if (str_starts_with($event['type'], $prefix) && is_text($data->$name ?? null)) {
            $event['resource'] = ['kind' => $kind, 'id' => $data->$name];
        }
    }
    $delivery = header($headers, 'x-webhook-id');
    $same = $delivery === null || text(trim($delivery, " \t")) === $event['id'];
    return [$event, $same ? [] : ['delivery_id_mismatch']];
}

const PAYMOS = ['x-webhook-signature', 'Hookproof\read_timed', 'Hookproof\paymos_event'];

function parse(string $body): mixed {
    need(preg_match('//u', $body) === 1, 'body_not_utf8');
    $document = preg_replace([LONE, NUL_NAME], ['\\ufffd', '"\\ufffd'], $body);
    $value = json_decode($document ?? '', false, 1000);
    need(json_last_error() === JSON_ERROR_NONE, 'body_not_json');
    return $value;
}

/**
 * Returns what the delivery says, or throws Refused: the first step of section 2 that fails.
 *
 * $headers: list of [name, bytes]; $body: the bytes received; $secrets: a list; $now: unix seconds.
 */
function verify(array $headers, string $body, array $secrets, int|float $now, ?int $tolerance = null,
    int $maxBodyBytes = 1048576, array $scheme = PAYMOS): array {
    [$name, $read, $readEvent] = $scheme;
    need($secrets && !in_array('', $secrets, true), 'secret_missing');
    $timed = $read === PAYMOS[1]; // schemes without a time take no tolerance
    need($tolerance === null || ($timed && $tolerance >= 0), 'tolerance_invalid');
    $value = header($headers, $name);
    need($value !== null && trim($value, " \t") !== '', 'header_missing');
    [$head, $timestamp, $signatures] = $read($value);
    if ($timestamp !== null) {
        $age = floor($now) - (float) $timestamp; // exact, also where integers have 32 bits
        need($age <= ($tolerance ?? 300), 'timestamp_too_old');
        need(-$age <= ($tolerance ?? 300), 'timestamp_too_new');
    }
    need(strlen($body) <= $maxBodyBytes, 'body_too_large');
    $matches = []; // every secret meets every signature, without an early exit
    foreach ($secrets as $secret => $key) {
        $right = mac($key, $head . $body);
        foreach ($signatures as $place => $given) {
            if (hash_equals($right, $given)) {
                $matches[] = ['secret' => $secret, 'signature' => $place];
            }
        }
    }
    need(count($matches) > 0, 'signature_mismatch');
    $envelope = parse($body);
    need($envelope instanceof stdClass, 'envelope_not_object');
    [$event, $warnings] = $readEvent($envelope, $headers);
    $output = ['matched' => $matches[0], 'warnings' => $warnings, 'event' => $event];
    return $timestamp === null ? $output : ['timestamp' => $timestamp] + $output;
}

/** The header t=…,v1=… for a body. */
function sign(array $secrets, string $body, string $timestamp): string {
    need($secrets && !in_array('', $secrets, true), 'secret_missing');
    $message = signed_head($timestamp) . $body;
    return "t=$timestamp" . implode('', array_map(fn($key) => ',v1=' . mac($key, $message), $secrets));
}
