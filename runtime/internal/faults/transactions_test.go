package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

var transactions = []fault{
	{group: "Transaction locks", name: "rollback under a transaction lock", must: "free", run: txRollback},
	{name: "a transaction lock in a savepoint", must: "refused, since a rollback to the savepoint would drop it", run: txSavepoint},
	{name: "a transaction lock where there is none", must: "refused before anything is sent: nil, finished, aborted", run: txNone},
	{name: "the wait for a transaction lock runs out at the grant", must: "0 held after a no, with the transaction still open; lock_timeout as before", run: txTimeoutAtGrant},
	{name: "context ends while waiting for a transaction lock", must: "an error; nothing is held", run: txCancel},
}

func (s *stand) transactor() (*pgxpool.Pool, *locks.Locker) {
	pool := must(pgxpool.New(s.t.Context(), s.dsn))
	s.t.Cleanup(pool.Close)
	return pool, must(locks.New(locks.Config{Observer: s.audit}))
}

func txRollback(t *testing.T, s *stand) string {
	pool, locker := s.transactor()
	tx := must(pool.Begin(t.Context()))
	if ok, err := locker.TryLock(t.Context(), tx, jobs.Key("a")); !ok {
		t.Fatal(ok, err)
	}
	if s.held() != 1 {
		t.Error("the server does not list the lock")
	}
	if _, ok, err := s.open(s.audit).TryAcquire(t.Context(), jobs.Key("a")); ok || err != nil {
		t.Errorf("a session lock beside it: %v %v", ok, err)
	}
	tx.Rollback(t.Context())
	s.free()
	return "as it must; a session lock of the key was told no meanwhile"
}

func txSavepoint(t *testing.T, s *stand) string {
	pool, locker := s.transactor()
	tx := must(pool.Begin(t.Context()))
	inner := must(tx.Begin(t.Context()))
	if ok, err := locker.TryLock(t.Context(), inner, jobs.Key("a")); ok || !errors.Is(err, locks.ErrNestedTx) {
		t.Errorf("%v %v", ok, err)
	}
	s.free()
	tx.Rollback(t.Context())
	return "as it must"
}

func txNone(t *testing.T, s *stand) string {
	pool, locker := s.transactor()
	over := must(pool.Begin(t.Context()))
	over.Rollback(t.Context())
	aborted := must(pool.Begin(t.Context()))
	aborted.Exec(t.Context(), "SELECT 1/0")
	for tx, want := range map[pgx.Tx]error{nil: locks.ErrNoTx, over: locks.ErrNoTx, aborted: locks.ErrTxAborted} {
		if ok, err := locker.TryLock(t.Context(), tx, jobs.Key("a")); ok || !errors.Is(err, want) {
			t.Errorf("%v %v, and %v is wanted", ok, err, want)
		}
	}
	aborted.Rollback(t.Context())
	s.free()
	return "as it must"
}

func txTimeoutAtGrant(t *testing.T, s *stand) string {
	pool, locker := s.transactor()
	m := s.open(s.audit)
	n, refused, granted := many(200, 3000), 0, 0
	for range n {
		held := acquire(t, m, jobs.Key("a"), 5*time.Second)
		done := make(chan error)
		go func() {
			time.Sleep(time.Millisecond + rand.N(2*time.Millisecond))
			done <- s.release(held)
		}()
		tx := must(pool.Begin(t.Context()))
		ok, err := locker.Lock(t.Context(), tx, jobs.Key("a"), 2*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if ok {
			granted++
		} else {
			refused++
			s.free()
		}
		var timeout string
		if err := tx.QueryRow(t.Context(), "SHOW lock_timeout").Scan(&timeout); err != nil || timeout != "0" {
			t.Fatalf("lock_timeout %q %v", timeout, err)
		}
		tx.Rollback(t.Context())
	}
	s.free()
	if refused == 0 || granted == 0 {
		t.Errorf("%d refused and %d granted: the race was not met", refused, granted)
	}
	return fmt.Sprintf("%d trials: %d granted, %d not and 0 of these held", n, granted, refused)
}

func txCancel(t *testing.T, s *stand) string {
	pool, locker := s.transactor()
	held := acquire(t, s.open(s.audit), jobs.Key("a"), time.Second)
	tx := must(pool.Begin(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if ok, err := locker.Lock(ctx, tx, jobs.Key("a"), 30*time.Second); ok || err == nil {
		t.Errorf("%v %v", ok, err)
	}
	tx.Rollback(context.Background())
	release(t, s.audit, held)
	within(t, 5*time.Second, "nobody waits and nothing is held", func() bool {
		return get[int](s.lab, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") == 0
	})
	return "as it must"
}
