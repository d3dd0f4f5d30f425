"""Stores the delivery and answers; a worker takes what is not done, as long as it is not."""
import json
import threading
import time

from shop import BOOKING, advance, book, database, gate, serve


def receive(event, body, _):
    stored = database().execute("insert into delivery (id, body) values (?, ?) on conflict do nothing",
                                (event["event_id"], body.decode()))
    return 202 if stored.rowcount == 1 else 200


def work(db):
    row = db.execute("select id, body from delivery where not done limit 1").fetchone()
    if row is None:
        return time.sleep(0.01)
    event = json.loads(row[1])
    gate()
    db.execute("begin immediate")
    advance(db, event)
    if event["event_type"] == BOOKING:
        book(db, event["data"]["invoice_id"])
    db.execute("update delivery set done = 1 where id = ?", row[:1])
    db.execute("commit")


def worker():
    db = database()
    while True:
        try:
            work(db)
        except RuntimeError:
            time.sleep(0.05)


if __name__ == "__main__":
    threading.Thread(target=worker, daemon=True).start()
    serve(receive)
