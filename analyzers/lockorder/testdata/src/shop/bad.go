package shop

import (
	"context"
	"database/sql"
)

func Charge(ctx context.Context, tx *sql.Tx, account, job int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, account); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, job)
	return err
}

func Refund(ctx context.Context, tx *sql.Tx, account, job int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, job); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, account) // want lock-order-cycle "row \"accounts\" \\(FOR UPDATE\\) acquired while holding row \"jobs\" \\(FOR UPDATE\\); Charge takes them in the opposite order"
	return err
}

func Transfer(ctx context.Context, tx *sql.Tx, from, to int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM entries WHERE id = $1 FOR UPDATE`, from); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM entries WHERE id = $1 FOR UPDATE`, to) // want inconsistent-lock-order "row \"entries\" acquired while holding another row \"entries\", in the order of the arguments"
	return err
}
