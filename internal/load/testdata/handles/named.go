package handles

import (
	"context"
	"database/sql"
)

// Tx is another name of a transaction.
type Tx = sql.Tx

type opener interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*Tx, error)
}

// handle: tx transaction
func Named(ctx context.Context, o opener, id int64) error {
	tx, err := o.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT 1 FROM queues WHERE id = $1 FOR UPDATE", id); err != nil {
		return err
	}
	return tx.Commit()
}
