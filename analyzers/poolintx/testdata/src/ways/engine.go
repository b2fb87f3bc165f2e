package ways

import (
	"context"
	"database/sql"
)

// Engine works beside a connection on which it asks a function of an
// extension whether it may: whether others wait there meanwhile is a guess.
func Engine(ctx context.Context, db *sql.DB) error {
	return pinned(ctx, db, `SELECT vendor.lock_for_engine()`)
}

// Batch asks nobody.
func Batch(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT now()`); err != nil {
		return err
	}
	other, err := db.Conn(ctx) // want pool-nested-acquire "each waits for another"
	if err != nil {
		return err
	}
	return other.Close()
}

func pinned(ctx context.Context, db *sql.DB, ask string) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	leads := false
	if err := conn.QueryRowContext(ctx, ask).Scan(&leads); err != nil || !leads {
		return err
	}
	other, err := db.Conn(ctx) // want pool-nested-acquire "each waits for another"
	if err != nil {
		return err
	}
	return other.Close()
}

// Look asks a function that is no PostgreSQL's for something else.
func Look(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	found := false
	if err := conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM accounts WHERE id = vendor.first_of(7))`).Scan(&found); err != nil || !found {
		return err
	}
	other, err := db.Conn(ctx) // want pool-nested-acquire "each waits for another"
	if err != nil {
		return err
	}
	return other.Close()
}
