package runtimelocks

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Book takes seat and wallet, Refund the other way round.
func (s *Shop) Book(ctx context.Context, wallet int64, seat int32) error {
	return s.locks.InTx(ctx, s.pool, func(ctx context.Context, tx pgx.Tx) error {
		if granted, err := s.locks.Lock(ctx, tx, seats.Key(seat), wait); err != nil || !granted {
			return errors.Join(err, errors.New("no seat"))
		}
		granted, err := s.locks.Lock(ctx, tx, wallets.Key(wallet), wait)
		if err == nil && !granted {
			err = errors.New("no wallet")
		}
		return err
	})
}

// Refund takes wallet and seat.
func (s *Shop) Refund(ctx context.Context, wallet int64, seat int32) error {
	return s.locks.InTx(ctx, s.pool, func(ctx context.Context, tx pgx.Tx) error {
		if granted, err := s.locks.Lock(ctx, tx, wallets.Key(wallet), wait); err != nil || !granted {
			return errors.Join(err, errors.New("no wallet"))
		}
		granted, err := s.locks.Lock(ctx, tx, seats.Key(seat), wait)
		if err == nil && !granted {
			err = errors.New("no seat")
		}
		return err
	})
}

// Careless works whether it got the lock or not.
func (s *Shop) Careless(ctx context.Context, wallet int64) error {
	return s.locks.InTx(ctx, s.pool, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := s.locks.TryLock(ctx, tx, wallets.Key(wallet)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "select 1")
		return err
	})
}

// Forget never releases.
func (s *Shop) Forget(ctx context.Context, seat int32) error {
	held, granted, err := s.sessions.TryAcquire(ctx, seats.Key(seat))
	if err != nil || !granted {
		return err
	}
	return held.Check(ctx)
}
