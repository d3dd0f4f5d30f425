<?php
// A small shop on SQLite: what its receivers have in common.
declare(strict_types=1);

namespace Shop;

require_once __DIR__ . '/../../../../vectors/adapters/php/hookproof.php';

use PDO;

const RANKS = ['awaiting_payment' => 1, 'confirming' => 2, 'paid' => 4];
const BOOKING = 'invoice.paid';

function database(): PDO {
    $db = new PDO('sqlite:' . getenv('SHOP_DB'), null, null, [PDO::ATTR_TIMEOUT => 20]);
    $db->exec('pragma journal_mode = wal');
    $db->exec('create table if not exists delivery (id text primary key);
        create table if not exists invoice (id text primary key, status text not null default \'new\',
            final int not null default 0, at int not null default 0, rank int not null default 0,
            booked int not null default 0);
        create table if not exists parcel (invoice text not null)');
    return $db;
}

/** How many rows a statement changed. */
function change(PDO $db, string $sql, array $values): int {
    $statement = $db->prepare($sql);
    $statement->execute($values);
    return $statement->rowCount();
}

/** The event of a genuine delivery; any other is answered with 401. */
function genuine(string $body): array {
    $headers = [];
    foreach ($_SERVER as $name => $value) {
        if (str_starts_with($name, 'HTTP_')) {
            $headers[] = [strtr(substr($name, 5), '_', '-'), $value];
        }
    }
    try {
        \Hookproof\verify($headers, $body, [(string) getenv('SHOP_SECRET')], time());
        return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    } catch (\Hookproof\Refused) {
        http_response_code(401);
        exit;
    }
}

/** Where work begins: a test can hold it there, or let it fail once. */
function gate(): void {
    $folder = getenv('SHOP_GATE');
    for (clearstatcache(); is_file("$folder/hold"); clearstatcache()) {
        usleep(5000);
    }
    if (@unlink("$folder/fail")) {
        throw new \RuntimeException('the gate lets this work fail');
    }
}

/** Keeps the newest of what is known, in whatever order it comes. */
function advance(PDO $db, array $event): void {
    $data = $event['data'];
    change($db, 'insert into invoice (id, status, final, at, rank) values (?, ?, ?, ?, ?)
        on conflict (id) do update set status = excluded.status, final = excluded.final, at = excluded.at,
            rank = excluded.rank
        where (excluded.final, excluded.at, excluded.rank) > (final, at, rank)',
        [$data['invoice_id'], $data['status'], (int) $data['is_final'], $event['occurred_at'],
            RANKS[$data['status']] ?? 0]);
}

/** Sends the parcel, if nobody has. */
function book(PDO $db, string $invoice): void {
    change($db, 'insert into invoice (id) values (?) on conflict do nothing', [$invoice]);
    if (change($db, 'update invoice set booked = 1 where id = ? and booked = 0', [$invoice]) === 1) {
        change($db, 'insert into parcel (invoice) values (?)', [$invoice]);
    }
}

/** Works on a delivery that is not known yet, in the transaction that stores its id. */
function work_once(array $event): void {
    $db = database();
    $db->exec('begin immediate');
    if (change($db, 'insert into delivery (id) values (?) on conflict do nothing', [$event['event_id']]) === 1) {
        gate();
        advance($db, $event);
        if ($event['event_type'] === BOOKING) {
            book($db, $event['data']['invoice_id']);
        }
    }
    $db->exec('commit');
}
