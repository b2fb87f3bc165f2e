package shop

import (
	"context"
	"database/sql"
)

func within(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func tenant(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('tenant:' || $1, 0))`, id)
	return err
}

func Invite(ctx context.Context, db *sql.DB, id string, seat int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if err := tenant(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `SELECT take_seat($1, 'invited')`, seat)
		return err
	})
}

func Join(ctx context.Context, db *sql.DB, id string, seat int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if err := tenant(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `SELECT take_seat($1, 'joined')`, seat)
		return err
	})
}

func Leave(ctx context.Context, db *sql.DB, id string, seat int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if err := tenant(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `SELECT take_seat($1, 'left')`, seat)
		return err
	})
}

// Provision locks the seat alone, as the SQL function does for all of them.
func Provision(ctx context.Context, db *sql.DB, seat int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT take_seat($1, 'provisioned')`, seat) // want divergent-path "^Provision does not take advisory tenant: first in a transaction of kind within .3 of 4 paths do.$"
		return err
	})
}
