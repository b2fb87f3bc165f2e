package wait

import (
	"context"
	"database/sql"
)

// Each step of a list runs as its own flag says; what a step does not name is
// false.
type step struct {
	name string
	inTx bool
	up   string
}

var steps = []step{
	{name: "1", inTx: true, up: `ALTER TABLE wz_items ADD COLUMN IF NOT EXISTS note text`},
	{name: "2", up: `CREATE INDEX CONCURRENTLY IF NOT EXISTS wz_note ON wz_items (note)`},
}

var wrongSteps = []step{
	{name: "1", inTx: true, up: `CREATE INDEX CONCURRENTLY IF NOT EXISTS wz_wrong ON wz_items (note)`},
	{name: "2", up: `ALTER TABLE wz_items ADD COLUMN IF NOT EXISTS wrong text`},
}

func apply(ctx context.Context, db *sql.DB, s step) error {
	if !s.inTx {
		_, err := db.ExecContext(ctx, s.up)
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, s.up); err != nil { // want cic-under-open-tx "concurrent DDL runs inside a transaction"
		return err
	}
	return tx.Commit()
}

func UpSteps(ctx context.Context, db *sql.DB) error {
	for _, s := range steps {
		if err := apply(ctx, db, s); err != nil {
			return err
		}
	}
	return nil
}

func UpWrong(ctx context.Context, db *sql.DB) error {
	for _, s := range wrongSteps {
		if err := apply(ctx, db, s); err != nil {
			return err
		}
	}
	return nil
}
