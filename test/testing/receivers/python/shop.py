"""A small shop on SQLite: what its receivers have in common."""
import json
import os
import sqlite3
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).parents[4] / "vectors/adapters/python"))
sys.dont_write_bytecode = True
from hookproof import Refused, verify  # noqa: E402

RANKS = {"awaiting_payment": 1, "confirming": 2, "paid": 4}
BOOKING = "invoice.paid"
TABLES = """
create table if not exists delivery (id text primary key, body text not null, done int not null default 0);
create table if not exists invoice (id text primary key, status text not null default 'new',
    final int not null default 0, at int not null default 0, rank int not null default 0,
    booked int not null default 0);
create table if not exists parcel (invoice text not null);
"""


def database():
    """A connection that leaves transactions to us."""
    db = sqlite3.connect(os.environ["SHOP_DB"], timeout=20, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.executescript(TABLES)
    return db


def gate():
    """Where work begins: a test can hold it there, or let it fail once."""
    folder = Path(os.environ["SHOP_GATE"])
    while (folder / "hold").exists():
        time.sleep(0.005)
    try:
        (folder / "fail").unlink()
    except FileNotFoundError:
        return
    raise RuntimeError("the gate lets this work fail")


def advance(db, event):
    """Keeps the newest of what is known, in whatever order it comes."""
    data = event["data"]
    db.execute("""insert into invoice (id, status, final, at, rank) values (?, ?, ?, ?, ?)
        on conflict (id) do update set status = excluded.status, final = excluded.final, at = excluded.at,
            rank = excluded.rank
        where (excluded.final, excluded.at, excluded.rank) > (final, at, rank)""",
               (data["invoice_id"], data["status"], data["is_final"], event["occurred_at"],
                RANKS.get(data["status"], 0)))


def book(db, invoice):
    """Sends the parcel, if nobody has."""
    db.execute("insert into invoice (id) values (?) on conflict do nothing", (invoice,))
    if db.execute("update invoice set booked = 1 where id = ? and booked = 0", (invoice,)).rowcount == 1:
        send_parcel(db, invoice)


def send_parcel(db, invoice):
    db.execute("insert into parcel (invoice) values (?)", (invoice,))


def once(key, event, ship):
    """Works on a delivery whose key is not known yet, in the transaction that stores it."""
    db = database()
    db.execute("begin immediate")
    try:
        if db.execute("insert into delivery (id, body) values (?, '') on conflict do nothing", (key,)).rowcount == 1:
            gate()
            advance(db, event)
            if event["event_type"] == BOOKING:
                ship(db, event["data"]["invoice_id"])
        db.execute("commit")
    finally:
        db.close()


def observe(db, invoice):
    """How many parcels, and the invoice's status."""
    (effects,) = db.execute("select count(*) from parcel where invoice = ?", (invoice,)).fetchone()
    status = db.execute("select status from invoice where id = ?", (invoice,)).fetchone()
    return {"effects": effects, "state": status}


def serve(receive):
    """Serves POST with receive(event, body, headers), which gives a status, and GET for the tests."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            headers = [(name, value.encode("latin-1")) for name, value in self.headers.items()]
            try:
                verify(headers, body, [os.environ["SHOP_SECRET"].encode()], time.time())
            except Refused:
                return self.answer(401)
            try:
                return self.answer(receive(json.loads(body), body, self.headers))
            except RuntimeError:
                return self.answer(500)

        def do_GET(self):
            action, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
            (invoice,) = query["id"]
            db = database()
            if action == "/book":
                db.execute("begin immediate")
                book(db, invoice)
                db.execute("commit")
            self.answer(200, json.dumps(observe(db, invoice)))

        def answer(self, status, text=""):
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            """Nobody reads it."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 256

    Server(("127.0.0.1", int(os.environ["SHOP_PORT"])), Handler).serve_forever()
