package bank

import (
	"context"
	"database/sql"
)

func Close(ctx context.Context, tx *sql.Tx, ids []int64) error {
	_, err := tx.ExecContext(ctx, "SELECT 1 FROM accounts WHERE id = ANY($1) FOR UPDATE", ids) // want `locks several rows of "accounts" in no fixed order`
	return err
}

func Once(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)") // want `transaction lock advisory 1 is taken on a pool`
	return err
}
