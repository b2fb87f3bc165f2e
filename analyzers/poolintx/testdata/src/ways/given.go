package ways

import (
	"context"
	"database/sql"
)

// One helper begins all transactions: what each of the functions that it is
// given does beside its own is a fault of its own.

type Runner struct{ db *sql.DB }

func (r *Runner) InTx(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := r.retried(func() error { return fn(tx) }); err != nil {
		return err
	}
	return tx.Commit()
}

func (r *Runner) retried(fn func() error) error {
	if err := fn(); err != nil {
		return fn()
	}
	return nil
}

// Returning hands on what it is given.
func Returning[T any](ctx context.Context, r *Runner, fn func(tx *sql.Tx) (T, error)) (out T, err error) {
	err = r.InTx(ctx, func(tx *sql.Tx) error {
		out, err = fn(tx)
		return err
	})
	return out, err
}

type Accounts struct {
	run *Runner
	db  *sql.DB
}

func NewAccounts(db *sql.DB) *Accounts { return &Accounts{run: &Runner{db: db}, db: db} }

func (a *Accounts) Open(ctx context.Context, id int64) error {
	return a.run.InTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = $1`, id); err != nil {
			return err
		}
		_, err := a.db.ExecContext(ctx, `UPDATE jobs SET state = 'opened' WHERE id = $1`, id) // want pool-in-tx "a statement runs on the pool while Open\\$1 has a transaction of the same pool open"
		return err
	})
}

func (a *Accounts) Close(ctx context.Context, id int64) (int64, error) {
	return Returning(ctx, a.run, func(tx *sql.Tx) (n int64, err error) {
		if err := tx.QueryRowContext(ctx, `SELECT cents FROM accounts WHERE id = $1 FOR UPDATE`, id).Scan(&n); err != nil {
			return 0, err
		}
		_, err = a.db.ExecContext(ctx, `UPDATE jobs SET state = 'closed' WHERE id = $1`, id) // want pool-in-tx "a statement runs on the pool while Close\\$1 has a transaction of the same pool open"
		return n, err
	})
}

// An Execer is what a repository works on: the transaction that others have
// begun, or the pool.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

type Source interface {
	Execer() Execer
	InTx(ctx context.Context, fn func(tx *sql.Tx) error) error
}

type fromPool struct{ Runner }

func (f *fromPool) Execer() Execer { return f.db }

type within struct{ tx *sql.Tx }

func (w *within) Execer() Execer { return w.tx }

func (w *within) InTx(ctx context.Context, fn func(tx *sql.Tx) error) error { return fn(w.tx) }

type Reports struct{ source Source }

func NewReports(db *sql.DB, tx *sql.Tx) *Reports {
	if tx != nil {
		return &Reports{source: &within{tx: tx}}
	}
	return &Reports{source: &fromPool{Runner{db: db}}}
}

func (r *Reports) Drop(ctx context.Context, id int64) error {
	on := r.source.Execer()
	return r.source.InTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = $1`, id); err != nil {
			return err
		}
		return drop(ctx, on, id)
	})
}

func drop(ctx context.Context, on Execer, id int64) error {
	_, err := on.ExecContext(ctx, `UPDATE jobs SET state = 'dropped' WHERE id = $1`, id) // want pool-in-tx "Drop\\$1 has a transaction"
	return err
}

// Keep does the same on the transaction that it is given.
func (r *Reports) Keep(ctx context.Context, id int64) error {
	return r.source.InTx(ctx, func(tx *sql.Tx) error { return drop(ctx, tx, id) })
}
