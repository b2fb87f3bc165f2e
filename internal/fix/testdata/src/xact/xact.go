package xact

import (
	"context"
	"database/sql"
)

func Reserve(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_lock(42)`); err != nil { // want `session lock advisory 42 is taken inside a transaction` `session lock advisory 42 is still held`
		return err
	}
	return tx.Commit()
}

func Try(ctx context.Context, db *sql.DB) (ok bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, `SELECT PG_TRY_ADVISORY_LOCK_SHARED(43)`).Scan(&ok); err != nil || !ok { // want `session lock advisory 43 is taken inside a transaction` `session lock advisory 43 is still held`
		return false, err
	}
	return true, tx.Commit()
}
