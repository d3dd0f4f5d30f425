// One transaction: the id, the work, and the answer behind its commit.
package main

import (
	"database/sql"

	"hookproof.example/receivers/shop"
)

func main() {
	shop.Serve(func(db *sql.DB, event shop.Event) error {
		return shop.Once(db, event, func(tx *sql.Tx) error {
			if err := shop.Advance(tx, event); err != nil {
				return err
			}
			return shop.Book(tx, event)
		})
	})
}
