<?php
// Verifies the JSON as its framework hands it over: parsed, and written again.
declare(strict_types=1);

require __DIR__ . '/shop.php';

$parsed = json_decode((string) file_get_contents('php://input'), true);
$body = json_encode($parsed, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
Shop\work_once(Shop\genuine($body));
