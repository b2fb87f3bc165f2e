package shop

import (
	"context"
	"database/sql"
	"maps"
	"slices"
)

// The rows are locked in order before they are changed.
func CloseOrdered(ctx context.Context, tx *sql.Tx, ids []int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ANY($1) ORDER BY id FOR UPDATE`, ids); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = ANY($1)`, ids)
	return err
}

// The loop goes in the order of the key.
func PayOrdered(ctx context.Context, db *sql.DB, sums map[int64]int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = cents + $2 WHERE id = $1`, id, sums[id]); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Each turn has a transaction of its own.
func PayOneByOne(ctx context.Context, db *sql.DB, sums map[int64]int64) error {
	for id, cents := range sums {
		if _, err := db.ExecContext(ctx, `UPDATE accounts SET cents = cents + $2 WHERE id = $1`, id, cents); err != nil {
			return err
		}
	}
	return nil
}

// One lock that every run takes first keeps the runs apart.
func PayAlone(ctx context.Context, tx *sql.Tx, sums map[int64]int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(7001)`); err != nil {
		return err
	}
	for id, cents := range sums {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = cents + $2 WHERE id = $1`, id, cents); err != nil {
			return err
		}
	}
	return nil
}

// A retry takes the same lock again.
func Retry(ctx context.Context, tx *sql.Tx, id int64, waits []int) error {
	var err error
	for range waits {
		if _, err = tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err == nil {
			return nil
		}
	}
	return err
}

// SKIP LOCKED never waits.
func Next(ctx context.Context, tx *sql.Tx, queue string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM jobs WHERE queue = $1 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`, queue).Scan(&id)
	return id, err
}

// Erase runs each statement of a list once: no row is taken in two turns.
func Erase(ctx context.Context, tx *sql.Tx, id int64) error {
	steps := []struct {
		text string
		args []any
	}{
		{"UPDATE jobs SET state = 'gone' WHERE id = $1", []any{id}},
		{"UPDATE accounts SET cents = 0 WHERE id = $1", []any{id}},
		{"UPDATE jobs SET queue = '' WHERE id = $1", []any{id}},
	}
	for _, s := range steps {
		if _, err := tx.ExecContext(ctx, s.text, s.args...); err != nil {
			return err
		}
	}
	return nil
}
