<?php
// One transaction: the id, the work, and the answer behind its commit.
declare(strict_types=1);

require __DIR__ . '/shop.php';

Shop\work_once(Shop\genuine((string) file_get_contents('php://input')));
