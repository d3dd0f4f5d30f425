// Stores the id, answers, and works on the delivery afterwards, from memory.
package main

import (
	"database/sql"
	"log"

	"hookproof.example/receivers/shop"
)

func main() {
	shop.Serve(func(db *sql.DB, event shop.Event) error {
		return shop.InTransaction(db, func(tx *sql.Tx) error {
			isNew, err := shop.Store(tx, event)
			if isNew {
				go work(db, event)
			}
			return err
		})
	})
}

func work(db *sql.DB, event shop.Event) {
	err := shop.InTransaction(db, func(tx *sql.Tx) error {
		if err := shop.Gate(); err != nil {
			return err
		}
		if err := shop.Advance(tx, event); err != nil {
			return err
		}
		return shop.Book(tx, event)
	})
	if err != nil {
		log.Print(err)
	}
}
