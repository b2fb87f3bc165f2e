package faults

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

// full says that the long forms of the tests run.
var full = os.Getenv("PGLOCKDEP_FULL") != ""

func many(ordinary, long int) int {
	if full {
		return long
	}
	return ordinary
}

var (
	registry = &locks.Registry{}
	jobs     = must(locks.NewFamily[string](registry, "job"))
	pairs    = must(locks.NewPair[int32](registry, "pair", 4711))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A lab is a database of its own, seen by a connection of its own.
type lab struct {
	t   testing.TB
	dsn string
	mu  sync.Mutex
	eye *pgx.Conn
}

var databases atomic.Int32

// newLab makes a database on the server that server names.
func newLab(t testing.TB, server string) *lab {
	t.Helper()
	ctx := t.Context()
	admin := must(pgx.Connect(ctx, server))
	defer admin.Close(ctx)
	name := fmt.Sprintf("lab_%d_%d", os.Getpid(), databases.Add(1))
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	u := must(url.Parse(server))
	u.Path = "/" + name
	l := &lab{t: t, dsn: u.String()}
	l.look()
	l.exec(locks.FenceDDL("lock_fence"))
	l.exec("CREATE TABLE writes (at bigserial, key bigint, token bigint, owner text)")
	t.Cleanup(func() {
		ctx := context.Background()
		l.eye.Close(ctx)
		if admin, err := pgx.Connect(ctx, server); err == nil {
			admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
			admin.Close(ctx)
		}
	})
	return l
}

// look connects the eye, again after a restart.
func (l *lab) look() {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for range 100 {
		if l.eye, err = pgx.Connect(context.Background(), l.dsn); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	l.t.Fatal(err)
}

func (l *lab) exec(sql string, args ...any) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.eye.Exec(context.Background(), sql, args...); err != nil {
		l.t.Fatalf("%s: %v", sql, err)
	}
}

func get[T any](l *lab, sql string, args ...any) (v T) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.eye.QueryRow(context.Background(), sql, args...).Scan(&v); err != nil {
		l.t.Fatalf("%s: %v", sql, err)
	}
	return v
}

const heldHere = `FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// held counts the advisory locks of the database that are granted.
func (l *lab) held() int {
	l.t.Helper()
	return get[int](l, `SELECT count(*) `+heldHere)
}

// holder returns the process that has k, 0 for nobody.
func (l *lab) holder(k locks.Key) uint32 {
	l.t.Helper()
	return get[uint32](l, `SELECT coalesce(max(pid), 0)::int8 `+heldHere+` AND (classid::int8 << 32 | objid::int8) = $1`, k.Int64())
}

// free fails the test when the server has an advisory lock now, or a lock of
// k cannot be had by a session of its own.
func (l *lab) free() {
	l.t.Helper()
	if n := l.held(); n != 0 {
		l.t.Fatalf("%d advisory locks are held and nobody should hold one", n)
	}
}

// within waits until cond holds and returns how long that took.
func within(t testing.TB, limit time.Duration, what string, cond func() bool) time.Duration {
	t.Helper()
	begun := time.Now()
	for !cond() {
		if time.Since(begun) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
		time.Sleep(500 * time.Microsecond)
	}
	return time.Since(begun)
}

func (l *lab) kill(pid uint32) {
	l.t.Helper()
	if !get[bool](l, `SELECT pg_terminate_backend($1::int8::int4)`, pid) {
		l.t.Fatalf("no process %d", pid)
	}
}

// An option changes the configuration of a lab's sessions.
type option func(*locks.SessionConfig)

// through has the sessions connect by another address.
func through(dsn string) option { return func(c *locks.SessionConfig) { c.DSN, c.Pool = dsn, nil } }

func pooled(change func(*pgxpool.Config)) option {
	return func(c *locks.SessionConfig) {
		c.Pool = must(pgxpool.ParseConfig(c.DSN))
		c.DSN = ""
		change(c.Pool)
	}
}

// conns bounds the lock connections.
func conns(n int32) option { return pooled(func(c *pgxpool.Config) { c.MaxConns = n }) }

func timing(beat, trust, server time.Duration) option {
	return func(c *locks.SessionConfig) { c.Heartbeat, c.Trust, c.ServerTimeout = beat, trust, server }
}

func fenced(c *locks.SessionConfig) { c.FenceTable = "lock_fence" }

// try opens sessions that the audit watches.
func (l *lab) try(a *audit, opts ...option) (*locks.Sessions, error) {
	locker := must(locks.New(locks.Config{Observer: a, Logger: slog.New(slog.DiscardHandler)}))
	cfg := locks.SessionConfig{DSN: l.dsn}
	for _, o := range opts {
		o(&cfg)
	}
	return locker.OpenSessions(l.t.Context(), cfg)
}

func (l *lab) open(a *audit, opts ...option) *locks.Sessions {
	l.t.Helper()
	m, err := l.try(a, opts...)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		done := make(chan struct{})
		go func() {
			m.Close()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			l.t.Error("a lock was never released")
		}
	})
	return m
}

// acquire takes k and fails the test when it does not get it.
func acquire(t testing.TB, m *locks.Sessions, k locks.Key, wait time.Duration) *locks.Session {
	t.Helper()
	s, ok, err := m.Acquire(t.Context(), k, wait)
	if err != nil || !ok {
		t.Fatalf("acquiring %v: %v %v", k, ok, err)
	}
	return s
}

// release gives k back and fails the test when that fails.
func release(t testing.TB, a *audit, s *locks.Session) {
	t.Helper()
	if err := a.release(s); err != nil {
		t.Fatal(err)
	}
}

// An audit is an observer that notes when somebody believes to own a key.
type audit struct {
	mu     sync.Mutex
	owners map[string]map[uint32]time.Time // by key and process
	worst  time.Duration                   // two owners of one key at a time
	now    map[string]int                  // owners by key
	events map[locks.EventKind]int
	lastly map[locks.EventKind]time.Time
}

func newAudit() *audit {
	return &audit{owners: map[string]map[uint32]time.Time{}, now: map[string]int{}, events: map[locks.EventKind]int{}, lastly: map[locks.EventKind]time.Time{}}
}

func (a *audit) Begin(ctx context.Context, _ locks.Attempt) context.Context { return ctx }
func (a *audit) End(context.Context, locks.Attempt, locks.Result)           {}
func (a *audit) Event(_ context.Context, e locks.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events[e.Kind]++
	a.lastly[e.Kind] = time.Now()
	switch e.Kind {
	case locks.Opened:
		k := e.Key.String()
		if a.owners[k] == nil {
			a.owners[k] = map[uint32]time.Time{}
		}
		a.owners[k][e.PID] = time.Now()
	case locks.Lost:
		a.close(e.Key.String(), e.PID)
	}
}

func (a *audit) close(k string, pid uint32) {
	begun, ok := a.owners[k][pid]
	if !ok {
		return
	}
	delete(a.owners[k], pid)
	for _, other := range a.owners[k] {
		both := time.Since(begun)
		if other.After(begun) {
			both = time.Since(other)
		}
		a.worst = max(a.worst, both)
	}
}

// release notes the end of the belief, which comes before the unlock.
func (a *audit) release(s *locks.Session) error {
	a.mu.Lock()
	a.close(s.Key().String(), s.PID())
	a.mu.Unlock()
	return s.Release(context.Background())
}

// overlap returns the longest time for which two owners believed in one lock.
func (a *audit) overlap() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.worst
}

func (a *audit) last(k locks.EventKind) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lastly[k]
}

func (a *audit) count(k locks.EventKind) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.events[k]
}

// oneOwner fails the test when two owners believed in one lock at a time.
func (a *audit) oneOwner(t testing.TB) {
	t.Helper()
	if d := a.overlap(); d != 0 {
		t.Fatalf("two owners for %v", d)
	}
}

// shared is the server of the tests that break nothing but their database.
var shared = sync.OnceValue(func() string { return os.Getenv(pglab.Env) })
