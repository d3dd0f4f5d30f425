// One transaction: the id, the work, and the answer behind its commit.
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
			if err := shop.Advance(tx, event); err != nil {
				return err
			}
			return shop.Book(tx, event)
		})
	})
}
