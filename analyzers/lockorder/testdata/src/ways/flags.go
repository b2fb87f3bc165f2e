package ways

import (
	"context"
	"database/sql"
)

// Pick takes the desk that is asked for, else another one: a flag tells which.
func Pick(ctx context.Context, db *sql.DB, asked, other int64, ask bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	picked := false
	var free int
	if ask {
		if err := tx.QueryRowContext(ctx, `SELECT free FROM desks WHERE id = $1 FOR UPDATE`, asked).Scan(&free); err == nil {
			picked = true
		}
	}
	if !picked {
		if err := tx.QueryRowContext(ctx, `SELECT free FROM desks WHERE id = $1 FOR UPDATE`, other).Scan(&free); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Both may take both: the flag is of something else.
func Both(ctx context.Context, db *sql.DB, asked, other int64, ask bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	full := false
	var free int
	if err := tx.QueryRowContext(ctx, `SELECT free FROM desks WHERE id = $1 FOR UPDATE`, asked).Scan(&free); err != nil {
		return err
	}
	if ask && free == 0 {
		full = true
	}
	if full {
		if err := tx.QueryRowContext(ctx, `SELECT free FROM desks WHERE id = $1 FOR UPDATE`, other).Scan(&free); err != nil { // want inconsistent-lock-order "row .desks. acquired while holding another row .desks."
			return err
		}
	}
	return tx.Commit()
}
