package pqtest

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locksql"
)

func (w *world) sessions(cfg locks.SessionConfig) *locks.Sessions {
	w.Helper()
	s := ok(locksql.OpenSessions(bg, w.lock, w.db, cfg))(w)
	w.Cleanup(s.Close)
	return s
}

func TestSessionLock(t *testing.T) {
	each(t, func(w *world) {
		s := w.sessions(locks.SessionConfig{})
		k := w.order.Key("1")
		one, granted, err := s.TryAcquire(bg, k)
		if err != nil || !granted {
			w.Fatal(granted, err)
		}
		if _, again, err := s.TryAcquire(bg, k); again {
			w.Errorf("granted twice (%v)", err)
		}
		if w.advisory() != "1" {
			w.Errorf("%s locks are held", w.advisory())
		}
		if err := one.Check(bg); err != nil {
			w.Error(err)
		}
		cancelled, cancel := context.WithCancel(bg)
		cancel()
		if err := one.Release(cancelled); err != nil {
			w.Errorf("a cancelled context kept the lock: %v", err)
		}
		if n := w.left(); n != "0" {
			w.Errorf("%s locks are left", n)
		}
		// What went back to the pool holds nothing for the next caller.
		if got := w.text(w.db, "select count(*)::text from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"); got != "0" {
			w.Errorf("the pool has %s locks", got)
		}
	})
}

func TestSessionLossIsNoticed(t *testing.T) {
	each(t, func(w *world) {
		s := w.sessions(locks.SessionConfig{Heartbeat: 100 * time.Millisecond})
		held, granted, err := s.TryAcquire(bg, w.order.Key("1"))
		if err != nil || !granted {
			w.Fatal(granted, err)
		}
		ok(w.db.ExecContext(bg, "select pg_terminate_backend($1)", int64(held.PID())))(w)
		select {
		case <-held.Lost():
		case <-time.After(5 * time.Second):
			w.Fatal("the loss was not noticed")
		}
		if err := context.Cause(held.Context()); !errors.Is(err, locks.ErrLost) {
			w.Errorf("the context ended with %v", err)
		}
		if err := held.Release(bg); !errors.Is(err, locks.ErrLost) {
			w.Errorf("Release: %v", err)
		}
		next, granted, err := s.Acquire(bg, w.order.Key("1"), 5*time.Second)
		if err != nil || !granted {
			w.Fatal(granted, err)
		}
		if err := next.Release(bg); err != nil {
			w.Error(err)
		}
	})
}

func TestSessionFence(t *testing.T) {
	each(t, func(w *world) {
		ok(w.db.ExecContext(bg, locks.FenceDDL("fences")))(w)
		s := w.sessions(locks.SessionConfig{FenceTable: "fences"})
		k := w.order.Key("1")
		var old locks.Fence
		verify := func(f locks.Fence) error {
			return locksql.InTx(bg, w.lock, w.db, func(ctx context.Context, tx *sql.Tx) error {
				return locksql.VerifyFence(ctx, f, tx)
			})
		}
		for i := range 2 {
			held, granted, err := s.TryAcquire(bg, k)
			if err != nil || !granted {
				w.Fatal(granted, err)
			}
			if err := verify(held.Fence()); err != nil {
				w.Error(err)
			}
			if i == 1 {
				if err := verify(old); !errors.Is(err, locks.ErrFenced) {
					w.Errorf("the old owner writes: %v", err)
				}
			}
			old = held.Fence()
			if err := held.Release(bg); err != nil {
				w.Error(err)
			}
		}
	})
}

func TestConfigurationNamesOnePlace(t *testing.T) {
	each(t, func(w *world) {
		if _, err := locksql.OpenSessions(bg, w.lock, w.db, locks.SessionConfig{DSN: w.dsn}); err == nil {
			w.Error("two places to connect to were accepted")
		}
	})
}
