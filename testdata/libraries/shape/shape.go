// Package shape locks through interfaces of the program's own, whose methods
// have the shape of Exec, Query and QueryRow; no library stands behind them.
//
// library: any interface of the same shape
// lacks: Helper Savepoint Clause Change Pinned Prepared Batch Copy Named
package shape

import "context"

// A Result, Rows and Row are what the methods return.
type (
	Result interface{ RowsAffected() int64 }
	Rows   interface {
		Next() bool
		Scan(dest ...any) error
		Close() error
	}
	Row interface{ Scan(dest ...any) error }
)

// A DB runs statements and begins transactions.
type DB interface {
	Exec(ctx context.Context, query string, args ...any) (Result, error)
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) Row
	Begin(ctx context.Context) (Tx, error)
}

// A Tx is a transaction.
type Tx interface {
	Exec(ctx context.Context, query string, args ...any) (Result, error)
	QueryRow(ctx context.Context, query string, args ...any) Row
	Get(ctx context.Context, dest any, query string, args ...any) error
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
}

// locks: row accounts FOR UPDATE in caller
func Text(ctx context.Context, db DB, id int64) error {
	rows, err := db.Query(ctx, `SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`, id)
	if err != nil {
		return err
	}
	return rows.Close()
}

// locks: row accounts FOR UPDATE in tx
// found: row accounts FOR UPDATE in caller
func Begin(ctx context.Context, db DB, id int64) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// locks: row accounts FOR UPDATE in caller
func Struct(ctx context.Context, tx Tx, id int64) (balance int64, err error) {
	err = tx.Get(ctx, &balance, `SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`, id)
	return balance, err
}

// A queryer is what pool and transaction share.
type queryer interface {
	QueryRow(ctx context.Context, query string, args ...any) Row
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db queryer, id int64) (balance int64, err error) {
	err = db.QueryRow(ctx, `SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`, id).Scan(&balance)
	return balance, err
}
