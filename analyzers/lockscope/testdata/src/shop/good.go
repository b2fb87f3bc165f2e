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

// Swept reads what it locks, by way of another name.
func Swept(ctx context.Context, tx *sql.Tx, ids []int64) error {
	_, err := tx.ExecContext(ctx, `WITH locked AS (SELECT id FROM accounts WHERE id = ANY ($1) ORDER BY id FOR UPDATE),
		poor AS (SELECT id FROM locked)
		DELETE FROM accounts a USING poor WHERE a.id = poor.id`, ids)
	return err
}

// Slowly gives its transaction more time, and puts the usual limit back
// before it commits; a rollback undoes both.
func Slowly(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SET statement_timeout = 600000`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SET statement_timeout = 30000`); err != nil {
		return err
	}
	return tx.Commit()
}
