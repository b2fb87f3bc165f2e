package ways

import (
	"context"
	"database/sql"
)

// A Tolls takes its locks in opposite orders; whoever calls it here holds the
// booth meanwhile, so that only a caller out of sight could block: a guess.
type Tolls struct{}

func (Tolls) In(ctx context.Context, tx *sql.Tx, lane, cash int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM toll_lanes WHERE id = $1 FOR UPDATE`, lane); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM toll_cash WHERE id = $1 FOR UPDATE`, cash)
	return err
}

func (Tolls) Out(ctx context.Context, tx *sql.Tx, lane, cash int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM toll_cash WHERE id = $1 FOR UPDATE`, cash); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM toll_lanes WHERE id = $1 FOR UPDATE`, lane) // want lock-order-cycle "In and 1 more path take them in the opposite order"
	return err
}

func atBooth(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM toll_booths WHERE id = 1 FOR UPDATE`); err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func Enter(ctx context.Context, db *sql.DB, lane, cash int64) error {
	return atBooth(ctx, db, func(tx *sql.Tx) error { return Tolls{}.In(ctx, tx, lane, cash) })
}

func Leave(ctx context.Context, db *sql.DB, lane, cash int64) error {
	return atBooth(ctx, db, func(tx *sql.Tx) error { return Tolls{}.Out(ctx, tx, lane, cash) })
}
