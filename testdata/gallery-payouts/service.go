package payouts

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Service pays people.
type Service struct {
	store *Store
	pool  *pgxpool.Pool
}

// New returns the service on a pool.
func New(pool *pgxpool.Pool) *Service { return &Service{store: &Store{pool: pool}, pool: pool} }

// ErrPoor says that a payee is owed less.
var ErrPoor = errors.New("the payee is owed less")

// Pay pays one payee.
func (s *Service) Pay(ctx context.Context, payee, cents int64) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.LockPayee(ctx, payee); err != nil {
			return err
		}
		owed, err := s.store.Balance(ctx, payee)
		if err != nil {
			return err
		}
		if owed < cents {
			return ErrPoor
		}
		if err := s.store.Move(ctx, payee, -cents); err != nil {
			return err
		}
		return s.store.Record(ctx, payee, cents)
	})
}

// Correct changes what a payee is owed, by hand. It forgets the payee's lock.
func (s *Service) Correct(ctx context.Context, payee, cents int64) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.store.Balance(ctx, payee); err != nil {
			return err
		}
		return s.store.Move(ctx, payee, cents)
	})
}

// SettleAll marks what was paid, payee after payee in the order of their ids,
// each in a transaction of its own.
func (s *Service) SettleAll(ctx context.Context) error {
	payees, err := s.store.Waiting(ctx)
	if err != nil {
		return err
	}
	for _, p := range payees {
		err := s.store.InTx(ctx, func(ctx context.Context) error {
			if err := s.store.LockPayee(ctx, p); err != nil {
				return err
			}
			return s.store.Settle(ctx, p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Nightly settles on one replica: the one that gets the lock of the session.
func (s *Service) Nightly(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var got bool
	//pglockdep:lock name="Nightly" serializes="the nightly settlement over all replicas"
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(814001)`).Scan(&got); err != nil {
		return err
	}
	if !got {
		return nil
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock(814001)`); err != nil {
			_ = conn.Conn().Close(ctx) // the lock goes with it
		}
	}()
	return s.SettleAll(ctx)
}
