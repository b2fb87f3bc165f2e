package shop

import (
	"context"
	"database/sql"
)

// exclusively runs fn under a session lock, on whatever connection fn has.
func exclusively(ctx context.Context, db *sql.DB, fn func(*sql.Conn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(321)`); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(321)`) // want unlock-before-commit "session lock advisory 321 is released before the transaction that writes under it commits"
	return fn(conn)
}

// Outside begins before the lock and commits after it.
func Outside(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	err = exclusively(ctx, db, func(*sql.Conn) error {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 2`)
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

// Inside commits under the lock.
func Inside(ctx context.Context, db *sql.DB) error {
	return exclusively(ctx, db, func(conn *sql.Conn) error {
		tx, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// GivenUp unlocks early only where it rolls back.
func GivenUp(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(322)`); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`); err != nil {
		return err
	}
	var was bool
	if ctx.Err() != nil {
		if err := conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(322)`).Scan(&was); err != nil {
			return err
		}
		return ctx.Err()
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(322)`).Scan(&was)
}
