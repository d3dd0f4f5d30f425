<?php
// Looks whether the delivery is known, works on it, and then stores its id.
declare(strict_types=1);

require __DIR__ . '/shop.php';

$event = Shop\genuine((string) file_get_contents('php://input'));
$db = Shop\database();
$known = $db->prepare('select 1 from delivery where id = ?');
$known->execute([$event['event_id']]);
if ($known->fetch() === false) {
    Shop\gate();
    Shop\advance($db, $event);
    if ($event['event_type'] === Shop\BOOKING) {
        Shop\change($db, 'insert into parcel (invoice) values (?)', [$event['data']['invoice_id']]);
    }
    Shop\change($db, 'insert into delivery (id) values (?) on conflict do nothing', [$event['event_id']]);
}
