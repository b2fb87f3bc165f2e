package faults

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

var plain = []fault{
	{group: "Nothing breaks", name: "one owner after another", must: "the second is told no, then has it", run: oneAfterAnother},
	{name: "a crowd on one key", must: "one at a time; every increment of an unguarded counter counts", run: crowd},
	{name: "the callback fails", must: "Do returns its error; nobody holds the lock", run: callbackFails},
	{name: "the callback panics", must: "the panic goes on with its value; nobody holds the lock", run: callbackPanics},
	{name: "the callback calls Goexit", must: "the goroutine ends; nobody holds the lock", run: callbackExits},
	{name: "rollback under a session lock", must: "the lock stays", run: rollback},
	{name: "rollback to a savepoint", must: "the lock stays", run: savepoint},
	{name: "double release", must: "the second returns what the first did, from ten goroutines too", run: doubleRelease},
	{name: "release by another goroutine", must: "as by the one that acquired", run: otherGoroutine},
	{name: "acquired again by its owner", must: "refused at once, without asking the server", run: reentrance},
	{name: "return to the pool and reuse", must: "the next user of the connection inherits no lock, not even one taken behind the library's back", run: reuse},
}

func oneAfterAnother(t *testing.T, s *stand) string {
	m, other := s.open(s.audit), s.open(s.audit)
	k := jobs.Key("a")
	held := acquire(t, m, k, time.Second)
	if got := s.holder(k); got != held.PID() {
		t.Fatalf("the server lists process %d as the owner, and it is %d", got, held.PID())
	}
	if _, ok, err := other.TryAcquire(t.Context(), k); ok || err != nil {
		t.Fatalf("a second owner: %v %v", ok, err)
	}
	if err := held.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	release(t, s.audit, held)
	if err := held.Err(); !errors.Is(err, locks.ErrReleased) {
		t.Fatalf("after the release: %v", err)
	}
	s.free()
	release(t, s.audit, acquire(t, other, k, time.Second))
	s.free()
	s.oneOwner(t)
	return "as it must"
}

func crowd(t *testing.T, s *stand) string {
	s.exec("CREATE TABLE counter (n int); INSERT INTO counter VALUES (0)")
	k := jobs.Key("a")
	doors := []*locks.Sessions{s.open(s.audit), s.open(s.audit)}
	n := many(20, 200)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			held, ok, err := doors[i%2].Acquire(t.Context(), k, time.Minute)
			if !ok {
				t.Errorf("%v %v", ok, err)
				return
			}
			before := get[int](s.lab, "SELECT n FROM counter")
			s.exec("UPDATE counter SET n = $1", before+1)
			if err := s.release(held); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s.free()
	s.oneOwner(t)
	if got := get[int](s.lab, "SELECT n FROM counter"); got != n {
		t.Fatalf("%d increments of %d were lost", n-got, n)
	}
	return fmt.Sprintf("%d of %d increments, two programs' worth of sessions", n, n)
}

var errWork = errors.New("the work failed")

func callbackFails(t *testing.T, s *stand) string {
	ran, err := s.open(s.audit).Do(t.Context(), jobs.Key("a"), 0, func(ctx context.Context, held *locks.Session) error { return errWork })
	if !ran || err == nil || err.Error() != errWork.Error() || !errors.Is(err, errWork) {
		t.Fatalf("%v %v", ran, err)
	}
	s.free()
	return "as it must"
}

func callbackPanics(t *testing.T, s *stand) string {
	m := s.open(s.audit)
	func() {
		defer func() {
			if got := recover(); got != "over" {
				t.Errorf("recovered %v", got)
			}
		}()
		m.Do(t.Context(), jobs.Key("a"), 0, func(context.Context, *locks.Session) error { panic("over") })
	}()
	s.free()
	// With a transaction open, too.
	func() {
		defer func() { recover() }()
		m.Do(t.Context(), jobs.Key("a"), 0, func(ctx context.Context, held *locks.Session) error {
			if _, err := held.BeginTx(ctx, pgx.TxOptions{}); err != nil {
				t.Error(err)
			}
			panic("over")
		})
	}()
	s.free()
	return "as it must, with a transaction left open too"
}

func callbackExits(t *testing.T, s *stand) string {
	m := s.open(s.audit)
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Do(t.Context(), jobs.Key("a"), 0, func(context.Context, *locks.Session) error { runtime.Goexit(); return nil })
		t.Error("Do returned")
	}()
	<-done
	s.free()
	return "as it must"
}

func rollback(t *testing.T, s *stand) string {
	held := acquire(t, s.open(s.audit), jobs.Key("a"), time.Second)
	tx := must(held.BeginTx(t.Context(), pgx.TxOptions{}))
	must(tx.Exec(t.Context(), "INSERT INTO writes (owner) VALUES ('x')"))
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := held.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := get[int](s.lab, "SELECT count(*) FROM writes"); n != 0 {
		t.Fatal("the write stayed")
	}
	release(t, s.audit, held)
	s.free()
	return "as it must"
}

func savepoint(t *testing.T, s *stand) string {
	held := acquire(t, s.open(s.audit), jobs.Key("a"), time.Second)
	tx := must(held.BeginTx(t.Context(), pgx.TxOptions{}))
	inner := must(tx.Begin(t.Context()))
	if err := inner.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.holder(held.Key()); got != held.PID() {
		t.Fatalf("the owner is %d", got)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	release(t, s.audit, held)
	s.free()
	return "as it must"
}

func doubleRelease(t *testing.T, s *stand) string {
	held := acquire(t, s.open(s.audit), jobs.Key("a"), time.Second)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if err := held.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if n := s.count(locks.Released); n != 1 {
		t.Errorf("released %d times", n)
	}
	s.free()
	return "as it must"
}

func otherGoroutine(t *testing.T, s *stand) string {
	held := acquire(t, s.open(s.audit), jobs.Key("a"), time.Second)
	done := make(chan error)
	go func() { done <- s.release(held) }()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	<-held.Context().Done()
	s.free()
	return "as it must"
}

func reentrance(t *testing.T, s *stand) string {
	m := s.open(s.audit)
	_, err := m.Do(t.Context(), jobs.Key("a"), 0, func(ctx context.Context, held *locks.Session) error {
		if _, ok, err := m.TryAcquire(ctx, jobs.Key("a")); ok || !errors.Is(err, locks.ErrReentrant) {
			t.Errorf("a try: %v %v", ok, err)
		}
		if _, ok, err := m.Acquire(held.Context(), jobs.Key("a"), time.Second); ok || !errors.Is(err, locks.ErrReentrant) {
			t.Errorf("a wait: %v %v", ok, err)
		}
		ran, err := m.Do(ctx, jobs.Key("b"), time.Second, func(ctx context.Context, _ *locks.Session) error {
			_, _, err := m.TryAcquire(ctx, jobs.Key("a"))
			return err
		})
		if !ran || !errors.Is(err, locks.ErrReentrant) {
			t.Errorf("two levels down: %v %v", ran, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.free()
	release(t, s.audit, acquire(t, m, jobs.Key("a"), time.Second))
	return "as it must, two levels down too"
}

func reuse(t *testing.T, s *stand) string {
	m, other := s.open(s.audit, conns(1)), s.open(s.audit)
	held := acquire(t, m, jobs.Key("a"), time.Second)
	pid := held.PID()
	tx := must(held.BeginTx(t.Context(), pgx.TxOptions{}))
	must(tx.Exec(t.Context(), "SELECT pg_advisory_lock(4711), pg_advisory_lock($1)", jobs.Key("a").Int64()))
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	release(t, s.audit, held)
	s.free()
	next := acquire(t, m, jobs.Key("b"), time.Second)
	if next.PID() != pid {
		t.Fatalf("process %d instead of %d: the connection was not reused, so this tests nothing", next.PID(), pid)
	}
	release(t, s.audit, acquire(t, other, jobs.Key("a"), time.Second))
	release(t, s.audit, next)
	s.free()
	return "as it must"
}
