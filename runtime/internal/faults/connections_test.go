package faults

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

var connections = []fault{
	{group: "Limits of the server and the pool", name: "all lock connections hold locks", must: "an error within the wait, which says so; no deadlock of the program with itself", run: poolFull},
	{name: "a connection dies in the pool", must: "the next try takes another, without an error", run: stale},
	{name: "connection limit", must: "the server's error (53300); nothing is held; it works when there is room", run: connectionLimit},
	{name: "out of lock memory", must: "an error that says so (53200); nothing is held; it works when there is room", run: lockMemory},
	{name: "locks of the program while it waits", must: "an unrelated query on the program's own pool does not wait", run: unrelated},
}

func poolFull(t *testing.T, s *stand) string {
	m := s.open(s.audit, conns(2), func(c *locks.SessionConfig) { c.ConnTimeout = 200 * time.Millisecond })
	a, b := acquire(t, m, jobs.Key("a"), time.Second), acquire(t, m, jobs.Key("b"), time.Second)
	begun := time.Now()
	if _, ok, err := m.TryAcquire(t.Context(), jobs.Key("c")); ok || !errors.Is(err, locks.ErrNoConn) {
		t.Errorf("a try: %v %v", ok, err)
	}
	if _, ok, err := m.Acquire(t.Context(), jobs.Key("c"), 300*time.Millisecond); ok || !errors.Is(err, locks.ErrNoConn) {
		t.Errorf("a wait: %v %v", ok, err)
	}
	took := time.Since(begun)
	if took > 3*time.Second {
		t.Errorf("the errors took %v", took)
	}
	release(t, s.audit, a)
	release(t, s.audit, acquire(t, m, jobs.Key("c"), time.Second))
	release(t, s.audit, b)
	s.free()
	return fmt.Sprintf("two errors after waits of 200 ms and 300 ms took %v", took.Round(time.Millisecond))
}

func stale(t *testing.T, s *stand) string {
	m := s.open(s.audit, conns(1))
	n := many(5, 50)
	for range n {
		held := acquire(t, m, jobs.Key("a"), time.Second)
		pid := held.PID()
		release(t, s.audit, held)
		s.kill(pid)
		within(t, 5*time.Second, "the process is gone", func() bool {
			return !get[bool](s.lab, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::int8)", pid)
		})
		next, ok, err := m.TryAcquire(t.Context(), jobs.Key("a"))
		if !ok {
			t.Fatalf("%v %v", ok, err)
		}
		release(t, s.audit, next)
	}
	s.free()
	return fmt.Sprintf("%d of %d", n, n)
}

func connectionLimit(t *testing.T, s *stand) string {
	role := "r" + get[string](s.lab, "SELECT current_database()")
	s.exec("CREATE ROLE " + role + " LOGIN CONNECTION LIMIT 3")
	s.exec("GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role)
	t.Cleanup(func() { s.exec("DROP OWNED BY " + role); s.exec("DROP ROLE " + role) })
	u := must(url.Parse(s.dsn))
	u.User = url.User(role)
	m := s.open(s.audit, through(u.String()))
	var crowd []*pgx.Conn
	for range 3 {
		within(t, 10*time.Second, "there is room for the crowd", func() bool { // what opened the locks may still be leaving
			c, err := pgx.Connect(t.Context(), u.String())
			if err == nil {
				crowd = append(crowd, c)
			}
			return err == nil
		})
	}
	_, ok, err := m.TryAcquire(t.Context(), jobs.Key("a"))
	var pg *pgconn.PgError
	if ok || !errors.As(err, &pg) || pg.Code != "53300" {
		t.Errorf("%v %v", ok, err)
	}
	s.free()
	for _, c := range crowd {
		c.Close(t.Context())
	}
	within(t, 10*time.Second, "there is room", func() bool { // a process ends after its connection
		held, ok, _ := m.TryAcquire(t.Context(), jobs.Key("a"))
		if ok {
			release(t, s.audit, held)
		}
		return ok
	})
	s.free()
	m.Close()
	return "as it must"
}

func lockMemory(t *testing.T, s *stand) string {
	server := pglab.NewServer(t, "max_connections=12", "max_locks_per_transaction=10", "max_wal_senders=0", "wal_level=minimal")
	l := newLab(t, server.DSN())
	m := l.open(s.audit)
	release(t, s.audit, acquire(t, m, jobs.Key("a"), time.Second))
	hog := must(pgx.Connect(t.Context(), l.dsn))
	defer hog.Close(context.Background())
	_, err := hog.Exec(t.Context(), "SELECT count(pg_advisory_lock(g)) FROM generate_series(1, 100000) g")
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code != "53200" {
		t.Fatalf("filling the lock table: %v", err)
	}
	n := 0
	for i := range 50 { // the table's hash buckets do not fill all at once
		held, ok, err := m.TryAcquire(t.Context(), jobs.Key(fmt.Sprint("x", i)))
		if ok {
			release(t, s.audit, held)
			continue
		}
		if !errors.Is(err, locks.ErrExhausted) {
			t.Fatalf("%v", err)
		}
		n++
	}
	if n == 0 {
		t.Fatal("the server had room, so this tests nothing")
	}
	hog.Close(t.Context())
	within(t, 5*time.Second, "the hog's locks are gone", func() bool {
		var free bool // an error while the table is full
		err := l.eye.QueryRow(context.Background(), `SELECT count(*) = 0 `+heldHere).Scan(&free)
		return err == nil && free
	})
	release(t, s.audit, acquire(t, m, jobs.Key("a"), 5*time.Second))
	l.free()
	return fmt.Sprintf("%d of 50 refused with the reason, nothing held", n)
}

func unrelated(t *testing.T, s *stand) string {
	m, other := s.open(s.audit), s.open(s.audit, conns(4))
	held := acquire(t, m, jobs.Key("a"), time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bool)
	n := many(100, 1000)
	for range n {
		go func() {
			_, ok, _ := other.Acquire(ctx, jobs.Key("a"), time.Minute)
			done <- ok
		}()
	}
	time.Sleep(100 * time.Millisecond)
	if backends := get[int](s.lab, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"); backends != 0 {
		t.Errorf("%d backends wait inside the server", backends)
	}
	begun := time.Now()
	release(t, s.audit, acquire(t, other, jobs.Key("b"), 5*time.Second))
	took := time.Since(begun)
	cancel()
	for range n {
		if <-done {
			t.Error("granted while held")
		}
	}
	release(t, s.audit, held)
	s.free()
	if took > 2*time.Second {
		t.Errorf("another key took %v", took)
	}
	return fmt.Sprintf("%d callers wait, 0 backends do; another key on the same 4 connections took %v", n, took.Round(10*time.Microsecond))
}
