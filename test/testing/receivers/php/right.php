<?php
// One transaction: the id, the work, and the answer behind its commit.
declare(strict_types=1);

require __DIR__ . '/shop.php';

$event = Shop\genuine((string) file_get_contents('php://input'));
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
