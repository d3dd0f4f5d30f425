<?php
// Answers the conformance runner: JSON Lines on standard input and output.
declare(strict_types=1);

namespace Hookproof;

require __DIR__ . '/providers.php';

ini_set('display_errors', 'stderr');
const SCHEMES = ['paymos' => PAYMOS, 'stripe' => STRIPE, 'github' => GITHUB];
const CHOICES = ['HexCase', 'IntegralFloat', 'LargeVersion', 'DuplicateJsonKey', 'DeepNesting'];
const HELLO = [
    'implementation' => ['name' => 'hookproof-php', 'version' => '1.0.0', 'language' => 'php',
        'runtime' => 'PHP ' . PHP_VERSION],
    'profiles' => ['paymos', 'stripe', 'github'],
    'ops' => ['verify', 'sign', 'mac'],
    'capabilities' => ['sign', 'mac', 'tolerance', 'limits', 'multi-secret', 'secret-bytes', 'raw-body', 'header-lines',
        'header-bytes', 'timestamp-text', 'envelope', 'matched'],
];

function run(string $profile, string $op, array $given): array {
    if ($op === 'mac') {
        return ['mac' => mac(base64_decode($given['key']), base64_decode($given['message']))];
    }
    $body = base64_decode($given['body'] ?? '');
    $secrets = array_map('base64_decode', $given['secrets']);
    if ($op === 'sign') {
        return ['header' => $profile === 'github'
            ? sign_github($secrets, $body) : sign($secrets, $body, $given['timestamp'])];
    }
    $headers = array_map(fn($line) => [$line[0], base64_decode($line[1])], $given['headers']);
    return verify($headers, $body, $secrets, (float) $given['now'], $given['tolerance'],
        $given['limits']['maxBodyBytes'] ?? 1048576, SCHEMES[$profile]);
}

function answer(array $message): array {
    try {
        return match ($message['cmd']) {
            'hello' => HELLO + ['choices' => array_fill_keys(CHOICES, 'valid')],
            'run' => ['result' => 'valid', 'output' => run($message['profile'], $message['op'], $message['input'])],
        };
    } catch (Refused $refused) {
        return ['result' => 'invalid', 'reason' => $refused->getMessage()];
    } catch (\Throwable $error) {
        return ['error' => ['message' => $error->getMessage()]];
    }
}

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    if ($message['cmd'] === 'bye') {
        break;
    }
    echo json_encode(['p' => 1, 'seq' => $message['seq']] + answer($message), JSON_THROW_ON_ERROR), "\n";
}
