// Whatever event comes last has the last word about the invoice.
package main

import (
	"database/sql"

	"hookproof.example/receivers/shop"
)

func main() {
	shop.Serve(func(db *sql.DB, event shop.Event) error {
		return shop.InTransaction(db, func(tx *sql.Tx) error {
			if isNew, err := shop.Store(tx, event); err != nil || !isNew {
				return err
			}
			if err := shop.Gate(); err != nil {
				return err
			}
			_, err := tx.Exec(`insert into invoice (id, status) values ($1, $2)
				on conflict (id) do update set status = excluded.status`, event.Data.Invoice, event.Data.Status)
			if err != nil {
				return err
			}
			return shop.Book(tx, event)
		})
	})
}
