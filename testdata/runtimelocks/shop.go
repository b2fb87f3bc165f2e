// Package runtimelocks takes its locks through runtime/locks. The tool's
// tests compare what it says of it with what the calls mean.
package runtimelocks

import (
	"context"
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locksql"
)

// What can be locked.
var (
	wallets  = locks.MustFamily[int64]("wallet")
	invoices = locks.MustFamily[string]("invoice", locks.Prefix("inv/"), locks.Seed(7))
	seats    = locks.MustPair[int32]("seat", 1042)
	sweep    = locks.MustConst("sweep", 8101)
	shards   = locks.MustNumbers("shard", 5000, 5015)
	accounts = locks.MustRows[int64]("accounts", "id")
)

const wait = time.Second

// A Shop has a pool and locks.
type Shop struct {
	pool     *pgxpool.Pool
	db       *sql.DB
	locks    *locks.Locker
	sessions *locks.Sessions
}

// Pay tries the wallet, then waits for the seat.
func (s *Shop) Pay(ctx context.Context, wallet int64, seat int32) error {
	return s.locks.InTx(ctx, s.pool, func(ctx context.Context, tx pgx.Tx) error {
		granted, err := s.locks.TryLock(ctx, tx, wallets.Key(wallet))
		if err != nil || !granted {
			return err
		}
		granted, err = s.locks.Lock(ctx, tx, seats.Key(seat), wait)
		if err != nil || !granted {
			return err
		}
		_, err = tx.Exec(ctx, "select 1")
		return err
	})
}

// Bill reads the sweep in share mode and takes an invoice through a helper.
func (s *Shop) Bill(ctx context.Context, id string) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if granted, err := s.locks.Lock(ctx, tx, sweep, wait, locks.InShareMode); err != nil || !granted {
		return err
	}
	if err := s.take(ctx, tx, invoices.Key(id)); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func (s *Shop) take(ctx context.Context, tx pgx.Tx, k locks.Key) error {
	_, err := s.locks.Lock(ctx, tx, k, wait)
	return err
}

// Split takes several wallets, then their rows.
func (s *Shop) Split(ctx context.Context, ids []int64) error {
	return s.locks.InTx(ctx, s.pool, func(ctx context.Context, tx pgx.Tx) error {
		if granted, err := s.locks.LockAll(ctx, tx, wallets.Keys(ids...), wait); err != nil || !granted {
			return err
		}
		_, granted, err := locks.LockRows(ctx, s.locks, tx, accounts, ids, locks.ForNoKeyUpdate, wait)
		if err != nil || !granted {
			return err
		}
		_, _, err = locks.LockRows(ctx, s.locks, tx, accounts, ids, locks.ForUpdate, 0)
		return err
	})
}

// Sweep holds a session lock while it works.
func (s *Shop) Sweep(ctx context.Context) error {
	_, err := s.sessions.Do(ctx, sweep, wait, func(ctx context.Context, held *locks.Session) error {
		tx, err := held.BeginTx(ctx, pgx.TxOptions{})
		if err != nil {
			return err
		}
		defer tx.Rollback(ctx)
		if granted, err := s.locks.TryLock(ctx, tx, shards.Key(5001)); err != nil || !granted {
			return err
		}
		return tx.Commit(ctx)
	})
	return err
}

// Watch takes and releases a session lock by hand.
func (s *Shop) Watch(ctx context.Context, seat int32) error {
	held, granted, err := s.sessions.TryAcquire(ctx, seats.Key(seat))
	if err != nil || !granted {
		return err
	}
	defer held.Release(ctx)
	return held.Check(ctx)
}

// Old pays over database/sql.
func (s *Shop) Old(ctx context.Context, wallet int64) error {
	return locksql.InTx(ctx, s.locks, s.db, func(ctx context.Context, tx *sql.Tx) error {
		granted, err := locksql.Lock(ctx, s.locks, tx, wallets.Key(wallet), wait)
		if err != nil || !granted {
			return err
		}
		return nil
	})
}
