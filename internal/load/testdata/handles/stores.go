package handles

import (
	"context"
	"database/sql"
)

// A ledger is made out of sight.
type ledger interface {
	Lock(ctx context.Context, q querier) error
	Settle(ctx context.Context) error
}

type Ledger struct{}

// handle: tx transaction
func (l *Ledger) Lock(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "SELECT 1 FROM ledgers WHERE id = 1 FOR UPDATE")
	return err
}

func (*Ledger) Settle(context.Context) error { return nil }

// A Journal is no ledger: nothing settles it.
type Journal struct{}

// handle: param transaction
func (j *Journal) Lock(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "SELECT 1 FROM journals WHERE id = 1 FOR UPDATE")
	return err
}

func SettleAll(ctx context.Context, db *sql.DB, l ledger) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := l.Lock(ctx, tx); err != nil {
		return err
	}
	if err := l.Settle(ctx); err != nil {
		return err
	}
	return tx.Commit()
}
