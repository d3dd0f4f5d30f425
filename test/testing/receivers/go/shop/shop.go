// Package shop is a small shop on PostgreSQL: what its receivers have in common.
package shop

import (
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	_ "github.com/lib/pq" // the driver
	"hookproof.example/adapter/hookproof"
)

// Booking is the type that means paid.
const Booking = "invoice.paid"

const tables = `
create table if not exists delivery (id text primary key);
create table if not exists invoice (id text primary key, status text not null default 'new',
	final boolean not null default false, at bigint not null default 0, rank int not null default 0,
	booked boolean not null default false);
create table if not exists parcel (invoice text not null)`

var ranks = map[string]int{"awaiting_payment": 1, "confirming": 2, "paid": 4}

// Event is what a receiver needs of a delivery.
type Event struct {
	ID         string `json:"event_id"`
	Type       string `json:"event_type"`
	OccurredAt int64  `json:"occurred_at"`
	Data       struct {
		Invoice string `json:"invoice_id"`
		Status  string `json:"status"`
		IsFinal bool   `json:"is_final"`
	} `json:"data"`
}

// Serve answers with what receive says: 200, or 500 for an error. What is not genuine is 401.
func Serve(receive func(db *sql.DB, event Event) error) {
	db, err := sql.Open("postgres", os.Getenv("SHOP_DB"))
	if err == nil {
		db.SetMaxOpenConns(20)
		_, err = db.Exec(tables)
	}
	if err != nil {
		log.Fatal(err)
	}
	secrets := [][]byte{[]byte(os.Getenv("SHOP_SECRET"))}
	handler := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hookproof.MaxBody))
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if _, err := hookproof.Verify(hookproof.Paymos, r.Header, body, secrets, time.Now(), nil, hookproof.MaxBody); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event Event
		if err = json.Unmarshal(body, &event); err == nil {
			err = receive(db, event)
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("SHOP_PORT"), http.HandlerFunc(handler)))
}

// Gate is where work begins: a test can hold it there, or let it fail once.
func Gate() error {
	folder := os.Getenv("SHOP_GATE")
	for {
		if _, err := os.Stat(folder + "/hold"); err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if os.Remove(folder+"/fail") == nil {
		return errors.New("the gate lets this work fail")
	}
	return nil
}

// Advance keeps the newest of what is known, in whatever order it comes.
func Advance(tx *sql.Tx, event Event) error {
	_, err := tx.Exec(`insert into invoice (id, status, final, at, rank) values ($1, $2, $3, $4, $5)
		on conflict (id) do update set status = excluded.status, final = excluded.final, at = excluded.at, rank = excluded.rank
		where (excluded.final, excluded.at, excluded.rank) > (invoice.final, invoice.at, invoice.rank)`,
		event.Data.Invoice, event.Data.Status, event.Data.IsFinal, event.OccurredAt, ranks[event.Data.Status])
	return err
}

// Book sends the parcel, if nobody has.
func Book(tx *sql.Tx, event Event) error {
	if event.Type != Booking {
		return nil
	}
	booked, err := tx.Exec("update invoice set booked = true where id = $1 and not booked", event.Data.Invoice)
	if err != nil {
		return err
	}
	if rows, err := booked.RowsAffected(); err != nil || rows == 0 {
		return err
	}
	_, err = tx.Exec("insert into parcel (invoice) values ($1)", event.Data.Invoice)
	return err
}

// Store keeps the id of a delivery, and says whether it is new.
func Store(tx *sql.Tx, event Event) (bool, error) {
	stored, err := tx.Exec("insert into delivery (id) values ($1) on conflict do nothing", event.ID)
	if err != nil {
		return false, err
	}
	rows, err := stored.RowsAffected()
	return rows == 1, err
}

// InTransaction commits what work did, unless it failed.
func InTransaction(db *sql.DB, work func(tx *sql.Tx) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// Once works on a delivery that is not known yet, in the transaction that stores its id.
func Once(db *sql.DB, event Event, work func(tx *sql.Tx) error) error {
	return InTransaction(db, func(tx *sql.Tx) error {
		if isNew, err := Store(tx, event); err != nil || !isNew {
			return err
		}
		if err := Gate(); err != nil {
			return err
		}
		return work(tx)
	})
}
