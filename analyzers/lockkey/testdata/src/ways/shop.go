package shop

import (
	"context"
	"database/sql"
)

// Charge and Refund mean one customer and lock two numbers.
func Charge(ctx context.Context, tx *sql.Tx, customer string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtext('customer:' || $1))`, customer) // want key-mismatch "^locks of \"customer\" are keyed by hashtext here and by hashtextextended with seed 0 in Refund" weak-key-hash "leaves 32 bits"
	return err
}

func Refund(ctx context.Context, tx *sql.Tx, customer string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('customer:' || $1, 0))`, customer) // want key-mismatch "^locks of \"customer\" are keyed by hashtextextended with seed 0 here and by hashtext in Charge"
	return err
}

// Two seeds are two keys too, wherever the prefix is put on.
func Open(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 1))`, "account:"+id) // want key-mismatch "with seed 1 here"
	return err
}

func Close(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('account:' || $1, 0))`, id) // want key-mismatch "with seed 0 here"
	return err
}

// Move is on its way from one key to the other: it takes both.
func Move(ctx context.Context, tx *sql.Tx, id string) error {
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('job:' || $1, 7))`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('job:' || $1, 0))`, id)
	return err
}

// The same key, made in two places.
func First(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('same:' || $1, 0))`, id)
	return err
}

func Second(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "same:"+id)
	return err
}

// Missing locks nothing when the owner is.
func Missing(ctx context.Context, tx *sql.Tx, owner sql.NullInt64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('owner:' || $1::text, 0))`, owner) // want null-key "^the key of advisory owner: is made of a sql.NullInt64, which can be NULL"
	return err
}

// Given has a value for it.
func Given(ctx context.Context, tx *sql.Tx, owner sql.NullInt64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('given:' || coalesce($1, 0)::text, 0))`, owner)
	return err
}
