package shop

import (
	"context"
	"database/sql"
	"errors"
)

var errBusy = errors.New("busy")

func Within(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SET LOCAL statement_timeout = 500`); err != nil {
		return err
	}
	var ok bool
	if err := tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock(401)`).Scan(&ok); err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = 1 FOR UPDATE`); err != nil {
		return err
	}
	return tx.Commit()
}

// One statement locks and works.
func Pop(ctx context.Context, db *sql.DB) (id int64, err error) {
	err = db.QueryRowContext(ctx, `UPDATE jobs SET state = 'taken' WHERE id = (
		SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`).Scan(&id)
	return id, err
}

// The caller decides what its handle is, and what false means.
func Try(ctx context.Context, tx *sql.Tx) (ok bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock(402)`).Scan(&ok)
	return ok, err
}

// A handle that may be a transaction is no pool.
type Querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func ForUpdate(ctx context.Context, q Querier, id int64) (cents int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT cents FROM accounts WHERE id = $1 FOR UPDATE`, id).Scan(&cents)
	return cents, err
}

// Asserted fails without its locks: the block looks at the answers.
func Asserted(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		DO $$
		DECLARE got boolean;
		BEGIN
			ASSERT (SELECT pg_try_advisory_xact_lock(40)), 'the lock is taken';
			IF NOT pg_try_advisory_xact_lock(41) THEN
				RAISE EXCEPTION 'the lock is taken';
			END IF;
			SELECT pg_try_advisory_xact_lock(42) INTO got;
			IF NOT got THEN
				RAISE EXCEPTION 'the lock is taken';
			END IF;
		END $$`)
	return err
}
