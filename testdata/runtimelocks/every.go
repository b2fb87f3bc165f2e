package runtimelocks

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locksql"
)

var (
	registry = &locks.Registry{}
	desks    = must(locks.NewPair[int16](registry, "desk", 1043))
	parcels  = must(locks.NewRows[string](registry, "core.parcels", "code"))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Lead does its own work, over other connections, under a lock whose loss
// ends the context.
func (s *Shop) Lead(ctx context.Context) error {
	_, err := s.sessions.Do(ctx, shards.Key(5003), 0, func(ctx context.Context, held *locks.Session) error {
		for ctx.Err() == nil {
			if err := s.locks.InTx(ctx, s.pool, func(ctx context.Context, tx pgx.Tx) error { return held.Fence().Verify(ctx, tx) }); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return err
}

// Index works on the lock's connection.
func (s *Shop) Index(ctx context.Context) error {
	held, granted, err := s.sessions.Acquire(ctx, desks.Key(3), wait)
	if err != nil || !granted {
		return err
	}
	defer held.Release(ctx)
	return held.Use(ctx, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, "select pg_advisory_lock(77)")
		return err
	})
}

// Shared takes a pair in share mode, in a savepoint.
func (s *Shop) Shared(ctx context.Context, desk int16) error {
	return s.locks.InTx(ctx, s.pool, func(ctx context.Context, tx pgx.Tx) error {
		return pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error {
			granted, err := s.locks.TryLock(ctx, inner, desks.Key(desk), locks.InShareMode, locks.AllowSavepoint)
			if err != nil || !granted {
				return err
			}
			return nil
		})
	})
}

// Legacy does on database/sql what there is to do.
func (s *Shop) Legacy(ctx context.Context, desk []int16, codes []string, held *locks.Session) error {
	err := locksql.InTxOf(ctx, s.locks, held, func(ctx context.Context, tx *sql.Tx) error {
		if err := locksql.VerifyFence(ctx, held.Fence(), tx); err != nil {
			return err
		}
		granted, err := locksql.TryLock(ctx, s.locks, tx, sweep)
		if err != nil || !granted {
			return err
		}
		granted, err = locksql.LockAll(ctx, s.locks, tx, desks.Keys(desk...), wait)
		if err != nil || !granted {
			return err
		}
		_, granted, err = locksql.LockRows(ctx, s.locks, tx, parcels, codes, locks.ForShare, wait)
		if err != nil || !granted {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return locksql.Use(ctx, held, func(c *sql.Conn) error {
		_, err := c.ExecContext(ctx, "select pg_advisory_lock(78)")
		return err
	})
}
