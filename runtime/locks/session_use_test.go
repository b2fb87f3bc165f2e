package locks

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
)

func TestUse(t *testing.T) {
	w := newWorld(t)
	dsn := testdb.Database(t, "")
	m := ok(w.lock.OpenSessions(bg, SessionConfig{DSN: dsn, OneUse: true, Heartbeat: 50 * time.Millisecond, Trust: 300 * time.Millisecond}))(t)
	t.Cleanup(m.Close)
	k := w.order.Key("a")
	take := func() *Session {
		t.Helper()
		s, held, err := m.TryAcquire(bg, k)
		if !held || err != nil {
			t.Fatalf("%v %v", held, err)
		}
		return s
	}

	s := take()
	err := s.Use(bg, func(c *pgx.Conn) error {
		if c.PgConn().PID() != s.PID() {
			t.Errorf("process %d is lent, the lock is on %d", c.PgConn().PID(), s.PID())
		}
		if err := s.Use(ended(), nil); err == nil {
			t.Error("the connection was lent twice")
		}
		time.Sleep(500 * time.Millisecond) // longer than Trust
		_, err := c.Exec(bg, "CREATE TEMP TABLE left_over (n int)")
		return err
	})
	if err != nil || s.Err() != nil {
		t.Errorf("%v, %v", err, s.Err())
	}
	err = s.Use(bg, func(c *pgx.Conn) error {
		_, err := c.Exec(bg, "BEGIN; INSERT INTO left_over VALUES (1)", pgx.QueryExecModeSimpleProtocol)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "left open") {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { recover() }()
		_ = s.Use(bg, func(*pgx.Conn) error { panic("of the user") })
	}()
	var n int
	if err := s.Use(bg, func(c *pgx.Conn) error { return c.QueryRow(bg, "SELECT count(*) FROM left_over").Scan(&n) }); err != nil || n != 0 {
		t.Errorf("%d rows, %v", n, err)
	}
	if err := s.Release(bg); err != nil {
		t.Error(err)
	}
	if err := s.Use(bg, nil); !errors.Is(err, ErrReleased) {
		t.Errorf("after the release: %v", err)
	}

	next := take()
	defer next.Release(bg)
	if next.PID() == s.PID() {
		t.Error("the connection of the first lock serves the second")
	}
	broken := errors.New("closed")
	if err := next.Use(bg, func(c *pgx.Conn) error { c.Close(bg); return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	<-next.Lost()
}

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	return ctx
}
