package ways

import (
	"context"
	"database/sql"
)

// Finish locks the parts of a job, then its slot.
func Finish(ctx context.Context, tx *sql.Tx, id, parts []int64) error {
	if err := lockParts(ctx, tx, id, parts); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM slots WHERE id = $1 FOR UPDATE`, id)
	return err
}

// Fill locks the slot first: one call that comes too late closes all the cycles
// and is one finding.
func Fill(ctx context.Context, db *sql.DB, id, parts []int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM slots WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if err := lockParts(ctx, tx, id, parts); err != nil {
		return err
	}
	return tx.Commit()
}

// FinishOne is a path that takes them in the order of Finish.
func FinishOne(ctx context.Context, db *sql.DB, id, parts []int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := Finish(ctx, tx, id, parts); err != nil {
		return err
	}
	return tx.Commit()
}

// FinishNow is another.
func FinishNow(ctx context.Context, db *sql.DB, id, parts []int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := Finish(ctx, tx, id, parts); err != nil {
		return err
	}
	return tx.Commit()
}

func lockParts(ctx context.Context, tx *sql.Tx, id, parts []int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM inputs WHERE id = ANY($1) ORDER BY id FOR UPDATE`, parts); err != nil { // want lock-order-cycle "row \"inputs\" .* acquired while holding row \"slots\" .*; what Fill calls lockParts closes 2 more cycles"
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM outputs WHERE id = $1 FOR UPDATE`, id)
	return err
}
