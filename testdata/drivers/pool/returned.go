package pool

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// claim returns the transaction that has the rows, with them on each way.
func claim(ctx context.Context, db *sqlx.DB) (*sqlx.Tx, error) {
	tx, err := db.Beginx()
	if err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM pb_rows WHERE id = 1 FOR UPDATE`); err != nil {
		return tx, err
	}
	return tx, nil
}

func count(ctx context.Context, db *sqlx.DB) (err error) {
	var n int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM pb_rows`).Scan(&n) // want pool-in-tx "a statement runs on the pool while claim has a transaction of the same pool open"
	return err
}

func countAgain(ctx context.Context, db *sqlx.DB) (err error) {
	var n int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM pb_rows`).Scan(&n) // want pool-in-tx "a statement runs on the pool while begin has a transaction of the same pool open"
	return err
}

func Claimed(ctx context.Context, db *sqlx.DB) error {
	tx, err := claim(ctx, db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := count(ctx, db); err != nil {
		return err
	}
	return tx.Commit()
}

// A named transaction tells its name, as a builder tells its text.
type named struct {
	*sqlx.Tx
	name string
}

func (n *named) Name() string { return n.name }

func begin(db *sqlx.DB, name string) (*named, error) {
	tx, err := db.Beginx()
	if err != nil {
		return nil, err
	}
	n := &named{Tx: tx}
	n.name = name
	return n, nil
}

func Named(ctx context.Context, db *sqlx.DB) error {
	tx, err := begin(db, "rows")
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM pb_rows WHERE id = 1 FOR UPDATE`); err != nil {
		return err
	}
	if err := countAgain(ctx, db); err != nil {
		return err
	}
	return tx.Commit()
}
