<?php
// Verifies the JSON as its framework hands it over: parsed, and written again.
declare(strict_types=1);

require __DIR__ . '/shop.php';

$parsed = json_decode((string) file_get_contents('php://input'), true);
$event = Shop\genuine(json_encode($parsed, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE));
$db = Shop\database();
$db->exec('begin immediate');
if (Shop\change($db, 'insert into delivery (id) values (?) on conflict do nothing', [$event['event_id']]) === 1) {
    Shop\gate();
    Shop\advance($db, $event);
    if ($event['event_type'] === Shop\BOOKING) {
        Shop\book($db, $event['data']['invoice_id']);
    }
}
$db->exec('commit');
