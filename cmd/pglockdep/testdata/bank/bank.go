// Package bank moves money, and takes its two locks in two orders.
package bank

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const accountLock = `SELECT pg_advisory_xact_lock(hashtextextended('account:' || $1::text, 0))`

// A Store holds the accounts.
type Store struct{ pool *pgxpool.Pool }

// Post books an amount: the account's lock, then its row.
func (s *Store) Post(ctx context.Context, id, amount int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, accountLock, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE accounts SET balance = balance + $2 WHERE id = $1`, id, amount)
		return err
	})
}

// Close ends an account: its row, then its lock.
func (s *Store) Close(ctx context.Context, id int64) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, accountLock, id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
