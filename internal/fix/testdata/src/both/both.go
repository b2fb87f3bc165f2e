package both

import (
	"context"
	"database/sql"
)

// A package that releases: what the release is for takes judgement.
func Reserve(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_lock(45)`); err != nil { // want `session lock advisory 45 is taken inside a transaction`
		return err
	}
	var ok bool
	if err := tx.QueryRowContext(ctx, `SELECT pg_advisory_unlock(45)`).Scan(&ok); err != nil || !ok {
		return err
	}
	return tx.Commit()
}
