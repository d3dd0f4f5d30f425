<?php
// php tables.php observe ID: how many parcels, and the invoice's status.
// php tables.php book ID: what support does by hand.
declare(strict_types=1);

require __DIR__ . '/shop.php';

[, $action, $invoice] = $argv;
$db = Shop\database();
if ($action === 'book') {
    $db->exec('begin immediate');
    Shop\book($db, $invoice);
    $db->exec('commit');
    exit;
}
$query = $db->prepare('select (select count(*) from parcel where invoice = :id),
    (select status from invoice where id = :id)');
$query->execute(['id' => $invoice]);
echo implode(' ', $query->fetch(PDO::FETCH_NUM)), "\n";
