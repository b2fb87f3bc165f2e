// Package ledger keeps books, with sqlc on pgx and a function in PL/pgSQL.
package ledger

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.test/ledger/db"
)

// Ledger is the service.
type Ledger struct {
	pool *pgxpool.Pool
}

// New returns the service on a pool.
func New(pool *pgxpool.Pool) *Ledger { return &Ledger{pool: pool} }

// ErrClosed says that no entry can be posted on a day any more.
var ErrClosed = errors.New("the day is closed")

// posting runs fn in a transaction that holds the books open.
func (l *Ledger) posting(ctx context.Context, fn func(*db.Queries) error) error {
	tx, err := l.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	q := db.New(l.pool).WithTx(tx)
	if err := q.OpenBooks(ctx); err != nil {
		return err
	}
	if err := fn(q); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Post posts one entry.
func (l *Ledger) Post(ctx context.Context, e db.PostEntryParams) (id int64, err error) {
	err = l.posting(ctx, func(q *db.Queries) error {
		closed, err := q.LockDay(ctx, e.PDay)
		if err != nil {
			return err
		}
		if closed {
			return ErrClosed
		}
		id, err = q.PostEntry(ctx, e)
		return err
	})
	return id, err
}

// PostAll posts entries in the order they come.
func (l *Ledger) PostAll(ctx context.Context, entries []db.PostEntryParams) error {
	return l.posting(ctx, func(q *db.Queries) error {
		for _, e := range entries {
			if _, err := q.PostEntry(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close closes a day and writes off what is too small to keep.
func (l *Ledger) Close(ctx context.Context, day pgtype.Date) error {
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		q := db.New(tx)
		if err := q.CloseBooks(ctx); err != nil {
			return err
		}
		if _, err := q.LockDay(ctx, day); err != nil {
			return err
		}
		if err := q.ZeroAccounts(ctx); err != nil {
			return err
		}
		return q.CloseDay(ctx, day)
	})
}
