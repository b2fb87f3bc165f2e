package ways

import (
	"context"
	"database/sql"
	"errors"
)

func step(ctx context.Context, tx *sql.Tx, n int) error {
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = $1 WHERE id = 1`, n)
	return err
}

// Staged rolls back, by the variable that its closure shares, on every way
// out that fails, before the first deferred statement runs.
func Staged(ctx context.Context, db *sql.DB, n int) (int, error) {
	_, err := db.ExecContext(ctx, `INSERT INTO jobs (id, queue, state) VALUES (1, '', '')`)
	if err != nil {
		return 0, err
	}
	defer func() {
		db.ExecContext(ctx, `DELETE FROM jobs WHERE id = 1`)
	}()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	err = step(ctx, tx, 1)
	if err != nil {
		return 0, errors.New("first")
	}
	if n > 3 {
		err = step(ctx, tx, 2)
		if err != nil {
			return 0, errors.New("second")
		}
	}
	if err = tx.Commit(); err != nil {
		return 0, err
	}
	return n, nil
}

// Shadowed fails with an error of another name: nothing is rolled back.
func Shadowed(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `INSERT INTO jobs (id, queue, state) VALUES (1, '', '')`)
	if err != nil {
		return err
	}
	defer func() {
		db.ExecContext(ctx, `DELETE FROM jobs WHERE id = 1`) // want pool-in-tx "a statement runs on the pool while Shadowed has a transaction of the same pool open"
	}()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	if err := step(ctx, tx, 1); err != nil {
		return errors.New("first")
	}
	err = tx.Commit()
	return err
}
