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

// The sessions of locks run under the parameters that bound how long the
// server believes in a client that is gone.
func TestSettingsOfLockConnections(t *testing.T) {
	w := newWorld(t)
	cfg := SessionConfig{DSN: w.pool.Config().ConnString(), Heartbeat: time.Second, Trust: 3 * time.Second, ServerTimeout: 7 * time.Second}
	m := ok(w.lock.OpenSessions(bg, cfg))(t)
	defer m.Close()
	want := ok(cfg.Settings())(t)
	_, err := m.Do(bg, w.order.Key("1"), 0, func(ctx context.Context, s *Session) error {
		return s.Use(ctx, func(c *pgx.Conn) error {
			tcp := w.exec(c, "select (inet_client_addr() is not null)::text") == "true"
			for _, set := range want {
				if !tcp && strings.HasPrefix(set.Name, "tcp_") {
					continue // a socket of the machine has none
				}
				if got := w.exec(c, "select setting from pg_settings where name = $1", set.Name); got != set.Value {
					t.Errorf("%s is %s, want %s", set.Name, got, set.Value)
				}
			}
			return nil
		})
	})
	if err != nil || len(want) != 6 {
		t.Errorf("%v, %d settings", err, len(want))
	}
}
