package locksql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"weak"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// Use is locks.Session.Use for a session of OpenSessions: it calls fn with
// the connection that holds the lock. fn must not unlock, close or keep it.
// Nothing else uses the connection until fn returns; a loss is told then.
func Use(ctx context.Context, s *locks.Session, fn func(*sql.Conn) error) error {
	return lent(ctx, s, false, fn)
}

// InTxOf runs f in a transaction on the connection that holds the lock: what
// f writes is committed only if the lock is still there, since both end with
// the connection. Otherwise it is as InTx.
func InTxOf(ctx context.Context, l *locks.Locker, s *locks.Session, f func(context.Context, *sql.Tx) error) error {
	return lent(ctx, s, true, func(c *sql.Conn) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		tx, err := c.BeginTx(context.WithoutCancel(ctx), nil)
		if err != nil {
			return fmt.Errorf("locksql: beginning a transaction under %v: %w", s.Key(), err)
		}
		if h := s.Holding(); h != nil {
			key := weak.Make(tx)
			holdings.Store(key, h)
			defer holdings.Delete(key)
		}
		return within(ctx, l, tx, f)
	})
}

func lent(ctx context.Context, s *locks.Session, tx bool, fn func(*sql.Conn) error) error {
	c, back, err := s.Lend(ctx, tx)
	if err != nil {
		return err
	}
	defer back() // after a panic too
	own, ok := c.(*conn)
	if !ok {
		return errors.New("locksql: the session is none of OpenSessions of this package; it has its own BeginTx")
	}
	return fn(own.c)
}
