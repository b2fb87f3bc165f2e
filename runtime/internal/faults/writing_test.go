package faults

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

var writing = []fault{
	{group: "Writes of an old owner", name: "write after the lock has moved", must: "refused, in each isolation level", run: oldWrite},
	{name: "the lock moves during a write", must: "the next owner waits for the transaction that has verified its token", run: takeoverWaits},
	{name: "the lock moves after the snapshot", must: "refused", run: oldSnapshot},
	{name: "verified outside a transaction, or without a token", must: "an error before anything is sent", run: verifyNowhere},
}

// moved returns the fence of an owner that lost its lock, and the next owner.
func moved(t *testing.T, s *stand) (locks.Fence, *locks.Session) {
	m := s.open(s.audit, fenced)
	old := acquire(t, m, jobs.Key("a"), time.Second)
	s.kill(old.PID())
	<-old.Lost()
	_ = old.Release(t.Context())
	return old.Fence(), acquire(t, m, jobs.Key("a"), 5*time.Second)
}

func oldWrite(t *testing.T, s *stand) string {
	old, next := moved(t, s)
	conn := must(pgx.Connect(t.Context(), s.dsn))
	defer conn.Close(t.Context())
	last := next.Fence()
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		for f, want := range map[*locks.Fence]error{&old: locks.ErrFenced, &last: nil} {
			tx := must(conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level}))
			if err := f.Verify(t.Context(), tx); !errors.Is(err, want) {
				t.Errorf("%s: %v, and %v is wanted", level, err, want)
			}
			tx.Rollback(t.Context())
		}
	}
	if n := s.count(locks.Fenced); n != 3 {
		t.Errorf("the observer was told of %d refused writes", n)
	}
	release(t, s.audit, next)
	s.free()
	return "as it must"
}

func takeoverWaits(t *testing.T, s *stand) string {
	m := s.open(s.audit, fenced)
	old := acquire(t, m, jobs.Key("a"), time.Second)
	conn := must(pgx.Connect(t.Context(), s.dsn))
	defer conn.Close(t.Context())
	tx := must(conn.Begin(t.Context()))
	if err := old.Fence().Verify(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	s.kill(old.PID())
	got := make(chan *locks.Session)
	go func() { got <- acquire(t, m, jobs.Key("a"), 10*time.Second) }()
	const hold = 300 * time.Millisecond
	select {
	case <-got:
		t.Fatal("the next owner came during the write")
	case <-time.After(hold):
	}
	must(tx.Exec(t.Context(), "INSERT INTO writes (token, owner) VALUES ($1, 'old')", old.Fence().Token()))
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := <-got
	if err := s.write(old.Fence(), "old"); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("the old owner's next write: %v", err)
	}
	_ = old.Release(t.Context())
	release(t, s.audit, next)
	s.free()
	return fmt.Sprintf("the next owner waited the %v that the write took", hold)
}

func oldSnapshot(t *testing.T, s *stand) string {
	m := s.open(s.audit, fenced)
	old := acquire(t, m, jobs.Key("a"), time.Second)
	conn := must(pgx.Connect(t.Context(), s.dsn))
	defer conn.Close(t.Context())
	tx := must(conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead}))
	must(tx.Exec(t.Context(), "SELECT 1 FROM writes"))
	s.kill(old.PID())
	<-old.Lost()
	_ = old.Release(t.Context())
	release(t, s.audit, acquire(t, m, jobs.Key("a"), 5*time.Second))
	if err := old.Fence().Verify(t.Context(), tx); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("%v", err)
	}
	tx.Rollback(context.Background())
	s.free()
	return "as it must"
}

func verifyNowhere(t *testing.T, s *stand) string {
	m := s.open(s.audit, fenced)
	held := acquire(t, m, jobs.Key("a"), time.Second)
	conn := must(pgx.Connect(t.Context(), s.dsn))
	defer conn.Close(t.Context())
	tx := must(conn.Begin(t.Context()))
	tx.Commit(t.Context())
	if err := held.Fence().Verify(t.Context(), tx); !errors.Is(err, locks.ErrNoTx) {
		t.Errorf("committed: %v", err)
	}
	if err := held.Fence().Verify(t.Context(), nil); !errors.Is(err, locks.ErrNoTx) {
		t.Errorf("nil: %v", err)
	}
	outer := must(conn.Begin(t.Context()))
	if err := held.Fence().Verify(t.Context(), must(outer.Begin(t.Context()))); !errors.Is(err, locks.ErrNestedTx) {
		t.Errorf("in a savepoint: %v", err)
	}
	outer.Rollback(t.Context())
	if err := (locks.Fence{}).Verify(t.Context(), tx); err == nil {
		t.Error("the zero fence was verified")
	}
	release(t, s.audit, held)
	s.free()
	return "as it must"
}
