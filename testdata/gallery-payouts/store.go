// Package payouts pays people, with pgx. The transaction travels in the
// context, so that repositories need not know whether there is one.
package payouts

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type txKey struct{}

// conn is what runs statements: a transaction or the pool.
type conn interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// A Store reads and writes payees and payouts.
type Store struct {
	pool *pgxpool.Pool
}

// InTx runs fn in a transaction that waits three seconds for a lock.
func (s *Store) InTx(ctx context.Context, fn func(context.Context) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '3s'`); err != nil {
			return err
		}
		return fn(context.WithValue(ctx, txKey{}, tx))
	})
}

func (s *Store) conn(ctx context.Context) conn {
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		return tx
	}
	return s.pool
}

// LockPayee takes the lock of one payee until the transaction ends.
func (s *Store) LockPayee(ctx context.Context, payee int64) error {
	//pglockdep:lock name="Payee" serializes="all that changes what one payee is owed"
	_, err := s.conn(ctx).Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('payee:' || $1::text, 0))`, payee)
	return err
}

// Balance reads what a payee is owed and keeps it from changing.
func (s *Store) Balance(ctx context.Context, payee int64) (cents int64, err error) {
	err = s.conn(ctx).QueryRow(ctx, `SELECT balance FROM payees WHERE id = $1 FOR NO KEY UPDATE`, payee).Scan(&cents)
	return cents, err
}

// Move changes the balance of a payee.
func (s *Store) Move(ctx context.Context, payee, cents int64) error {
	_, err := s.conn(ctx).Exec(ctx, `UPDATE payees SET balance = balance + $2 WHERE id = $1`, payee, cents)
	return err
}

// Record writes a payout down.
func (s *Store) Record(ctx context.Context, payee, cents int64) error {
	_, err := s.conn(ctx).Exec(ctx, `INSERT INTO payouts (payee_id, cents) VALUES ($1, $2)`, payee, cents)
	return err
}

// Waiting lists the payees with new payouts.
func (s *Store) Waiting(ctx context.Context) ([]int64, error) {
	rows, err := s.conn(ctx).Query(ctx, `SELECT DISTINCT payee_id FROM payouts WHERE state = 'new' ORDER BY payee_id`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// Settle marks the payouts of a payee as paid.
func (s *Store) Settle(ctx context.Context, payee int64) error {
	_, err := s.conn(ctx).Exec(ctx, `UPDATE payouts SET state = 'paid' WHERE payee_id = $1 AND state = 'new'`, payee)
	return err
}
