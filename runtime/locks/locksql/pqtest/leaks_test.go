package pqtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locksql"
)

// What programs on database/sql do without a library, and what comes of it.
// Each test fails when the bare pattern does no harm: then it would show
// nothing of the library beside it.

const takeKey = "select pg_try_advisory_lock(4711)::text"

func (w *world) conn() *sql.Conn {
	w.Helper()
	c := ok(w.db.Conn(bg))(w)
	w.Cleanup(func() { c.Close() })
	return c
}

// other returns a pool of another program.
func (w *world) other() *sql.DB {
	w.Helper()
	db := ok(sql.Open(w.driver, w.dsn))(w)
	w.Cleanup(func() { db.Close() })
	return db
}

// Close of a connection gives it back to the pool with what it holds, as
// packages do that promise to release all locks with it.
func TestCloseKeepsTheLock(t *testing.T) {
	each(t, func(w *world) {
		w.db.SetMaxOpenConns(1)
		other := w.other()
		c := w.conn()
		w.text(c, takeKey)
		c.Close()
		if w.text(w.db, takeKey) != "true" || w.text(other, takeKey) != "false" {
			w.Fatal("bare: the lock is gone after Close")
		}
		w.text(w.db, "select pg_advisory_unlock_all()::text")

		w.db.SetMaxOpenConns(2) // the start looks at two
		s := w.sessions(locks.SessionConfig{ConnTimeout: 100 * time.Millisecond})
		w.db.SetMaxOpenConns(1)
		held, granted, err := s.TryAcquire(bg, w.order.Key("1"))
		if !granted {
			w.Fatal(err)
		}
		if _, again, err := s.TryAcquire(bg, w.order.Key("1")); again || !errors.Is(err, locks.ErrNoConn) {
			w.Errorf("the same pool: %v %v", again, err)
		}
		if err := held.Release(bg); err != nil {
			w.Error(err)
		}
		if n := w.left(); n != "0" {
			w.Errorf("%s locks are left", n)
		}
	})
}

// A connection whose unlock was not confirmed is thrown away. Migration tools
// close it, which pools it.
func TestUnconfirmedUnlockIsNotPooled(t *testing.T) {
	each(t, func(w *world) {
		s := w.sessions(locks.SessionConfig{})
		held, granted, err := s.TryAcquire(bg, w.order.Key("1"))
		if !granted {
			w.Fatal(err)
		}
		// Behind the owner's back, on its own connection: the unlock is false.
		err = locksql.Use(bg, held, func(c *sql.Conn) error {
			w.text(c, "select pg_advisory_unlock_all()::text")
			w.text(c, takeKey)
			return nil
		})
		if err != nil {
			w.Fatal(err)
		}
		pid := held.PID()
		var failed *locks.ReleaseError
		if err := held.Release(bg); !errors.Is(err, locks.ErrLost) || !errors.As(err, &failed) || !failed.Ended {
			w.Errorf("the release: %v", err)
		}
		// The server ends a session some time after its connection is closed.
		session := "select count(*)::text from pg_stat_activity where pid = " + fmt.Sprint(pid)
		for end := time.Now().Add(10 * time.Second); w.text(w.db, session) != "0" && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		if w.text(w.db, session) != "0" {
			w.Error("its connection is still there")
		}
		if n := w.left(); n != "0" {
			w.Errorf("%s locks are left", n)
		}
	})
}

// Under a context that has ended pgx's stdlib gives the connection up, and
// lib/pq runs the statement. Here both unlock.
func TestUnlockUnderAnEndedContext(t *testing.T) {
	each(t, func(w *world) {
		ctx, cancel := context.WithCancel(bg)
		cancel()
		s := w.sessions(locks.SessionConfig{})
		ran, err := s.Do(bg, w.order.Key("1"), 0, func(inner context.Context, held *locks.Session) error {
			return held.Release(ctx)
		})
		if n := w.left(); !ran || err != nil || n != "0" {
			w.Errorf("%v %v, %s locks are left", ran, err, n)
		}
	})
}

// database/sql rolls a transaction back when its context ends, and the lock
// goes under the goroutine that works in it.
func TestBareTransactionLosesItsLock(t *testing.T) {
	each(t, func(w *world) {
		ctx, cancel := context.WithCancel(bg)
		tx := ok(w.db.BeginTx(ctx, nil))(w)
		if w.text(tx, "select pg_try_advisory_xact_lock(4711)::text") != "true" || w.advisory() != "1" {
			w.Fatal("bare: not granted")
		}
		cancel()
		for end := time.Now().Add(5 * time.Second); w.advisory() != "0"; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				w.Fatal("bare: the lock stays, and TestCancelDoesNotFreeTheLockUnderTheWorker shows nothing")
			}
		}
	})
}

// Through lib/pq a loss is noticed by the heartbeat, through pgx without one.
func TestWhenALossIsNoticed(t *testing.T) {
	each(t, func(w *world) {
		beat := time.Second
		if w.driver == "pgx" { // it reads an idle connection
			beat = time.Hour
		}
		s := w.sessions(locks.SessionConfig{Heartbeat: beat})
		held, granted, err := s.TryAcquire(bg, w.order.Key("1"))
		if !granted {
			w.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		begun := time.Now()
		ok(w.db.ExecContext(bg, "select pg_terminate_backend($1)", int64(held.PID())))(w)
		select {
		case <-held.Lost():
		case <-time.After(30 * time.Second):
			w.Fatal("the loss was not noticed")
		}
		w.Logf("noticed after %v", time.Since(begun))
		held.Release(bg)
	})
}

// A write under the lock is committed with the lock or not at all.
func TestTransactionOnTheLocksConnection(t *testing.T) {
	each(t, func(w *world) {
		ok(w.db.ExecContext(bg, "create table writes (n int)"))(w)
		l := ok(locks.New(locks.Config{Order: locks.MustOrder("order < seat;"), OrderMode: locks.OrderEnforce, Logger: slog.New(slog.DiscardHandler)}))(w)
		s := ok(locksql.OpenSessions(bg, l, w.db, locks.SessionConfig{}))(w)
		w.Cleanup(s.Close)
		held, granted, err := s.TryAcquire(bg, w.order.Key("1"))
		if !granted {
			w.Fatal(err)
		}
		write := func(then func(*sql.Tx) error) error {
			return locksql.InTxOf(held.Context(), l, held, func(ctx context.Context, tx *sql.Tx) error {
				ok(tx.ExecContext(ctx, "insert into writes values (1)"))(w)
				return then(tx)
			})
		}
		count := func() string { return w.text(w.db, "select count(*)::text from writes") }
		failed := errors.New("no")
		if err := write(func(*sql.Tx) error { return failed }); !errors.Is(err, failed) || count() != "0" {
			w.Errorf("after an error: %v, %s writes", err, count())
		}
		err = write(func(tx *sql.Tx) error {
			// The lock's own session has it already: nobody waits.
			granted, err := locksql.Lock(bg, l, tx, w.order.Key("1"), time.Second)
			if pid := w.text(tx, "select pg_backend_pid()::text"); !granted || pid != fmt.Sprint(held.PID()) {
				w.Errorf("granted %v, process %s and the lock's is %d", granted, pid, held.PID())
			}
			return err
		})
		if err != nil || count() != "1" {
			w.Errorf("%v, %s writes", err, count())
		}
		if err := held.Check(bg); err != nil {
			w.Error(err)
		}
		err = write(func(*sql.Tx) error {
			ok(w.db.ExecContext(bg, "select pg_terminate_backend($1)", int64(held.PID())))(w)
			return nil
		})
		if err == nil || count() != "1" {
			w.Errorf("after the lock was lost: %v, %s writes", err, count())
		}
		select {
		case <-held.Lost():
		case <-time.After(5 * time.Second):
			w.Error("the loss was not told")
		}
		if err := held.Release(bg); !errors.Is(err, locks.ErrLost) {
			w.Errorf("the release: %v", err)
		}
		if err := write(func(*sql.Tx) error { return nil }); !errors.Is(err, locks.ErrLost) {
			w.Errorf("under a lost lock: %v", err)
		}
	})
}
