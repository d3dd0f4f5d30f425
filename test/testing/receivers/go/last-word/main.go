// Whatever event comes last has the last word about the invoice.
package main

import (
	"database/sql"

	"hookproof.example/receivers/shop"
)

const overwrite = `insert into invoice (id, status) values ($1, $2) on conflict (id) do update set status = excluded.status`

func main() {
	shop.Serve(func(db *sql.DB, event shop.Event) error {
		return shop.Once(db, event, func(tx *sql.Tx) error {
			if _, err := tx.Exec(overwrite, event.Data.Invoice, event.Data.Status); err != nil {
				return err
			}
			return shop.Book(tx, event)
		})
	})
}
