package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

var poolers = []fault{
	{group: "PgBouncer between", name: "session mode", must: "told as such; excludes a direct owner, survives a kill, leaves nothing behind", run: sessionMode},
	{name: "session mode, pool of one", must: "an error that says that a second connection got no session", run: sessionModeFull},
	{name: "transaction mode", must: "session locks refused with the mode and the evidence; nothing left behind; transaction locks work", run: refusedMode("transaction", locks.TransactionPooler)},
	{name: "transaction mode under traffic", must: "refused, 20 of 20 times", run: busyMode},
	{name: "statement mode", must: "session locks refused with the mode and the evidence; a transaction cannot begin", run: refusedMode("statement", locks.StatementPooler)},
}

func sessionMode(t *testing.T, s *stand) string {
	m, direct := s.open(s.audit, fenced, through(pglab.NewBouncer(t, s.dsn, "session", 5))), s.open(s.audit, fenced)
	if env := m.Environment(); env.Pooler != locks.SessionPooler || !env.Proxied {
		t.Errorf("%+v", env)
	}
	k := jobs.Key("a")
	held := acquire(t, m, k, time.Second)
	if got := s.holder(k); got != held.PID() {
		t.Errorf("the owner is %d, and the session says %d", got, held.PID())
	}
	if _, ok, err := direct.TryAcquire(t.Context(), k); ok || err != nil {
		t.Errorf("a second owner: %v %v", ok, err)
	}
	if err := held.Check(t.Context()); err != nil {
		t.Error(err)
	}
	release(t, s.audit, held)
	s.free()
	held = acquire(t, m, k, time.Second)
	s.kill(held.PID())
	select {
	case <-held.Lost():
	case <-time.After(5 * time.Second):
		t.Fatal("the loss was not told")
	}
	next := acquire(t, direct, k, time.Second)
	if err := s.write(held.Fence(), "old"); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("the old owner's write: %v", err)
	}
	_ = held.Release(t.Context())
	release(t, s.audit, next)
	// Destroyed with a transaction open, the pooler's session is not ours to end.
	held = acquire(t, m, k, time.Second)
	must(held.BeginTx(t.Context(), pgx.TxOptions{}))
	var failed *locks.ReleaseError
	if err := s.release(held); !errors.As(err, &failed) || !failed.Ended {
		t.Errorf("%v", err)
	}
	s.free()
	return "as it must, and free when a connection was destroyed"
}

func sessionModeFull(t *testing.T, s *stand) string {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	through := pglab.NewBouncer(t, s.dsn, "session", 1)
	_, err := locks.Examine(ctx, must(pgx.ParseConfig(through)))
	if err == nil || !strings.Contains(err.Error(), "needs room for two") {
		t.Errorf("%v", err)
	}
	s.free()
	return "as it must"
}

func refusedMode(mode string, want locks.Pooler) func(*testing.T, *stand) string {
	return func(t *testing.T, s *stand) string {
		for _, size := range []int{1, 3} {
			dsn := pglab.NewBouncer(t, s.dsn, mode, size)
			_, err := s.try(s.audit, through(dsn))
			var refused *locks.PoolerError
			if !errors.Is(err, locks.ErrPooled) || !errors.As(err, &refused) || refused.Pooler != want || refused.Evidence == "" {
				t.Errorf("a pool of %d: %v", size, err)
			}
			s.free()
			if err := xact(t, dsn); (err == nil) != (want == locks.TransactionPooler) {
				t.Errorf("a transaction lock: %v", err)
			}
			s.free()
		}
		return "pools of 1 and 3: refused, nothing left behind"
	}
}

// xact takes a transaction lock through a pooler, and shows that it excludes.
func xact(t *testing.T, dsn string) error {
	ctx := t.Context()
	config := must(pgx.ParseConfig(dsn))
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn := must(pgx.ConnectConfig(ctx, config))
	defer conn.Close(context.Background())
	locker := must(locks.New(locks.Config{}))
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		ok, err := locker.TryLock(ctx, tx, jobs.Key("a"))
		if err == nil && !ok {
			err = errors.New("refused")
		}
		return err
	})
}

func busyMode(t *testing.T, s *stand) string {
	dsn := pglab.NewBouncer(t, s.dsn, "transaction", 4)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	for range 6 {
		go func() {
			defer func() { done <- struct{}{} }()
			config := must(pgx.ParseConfig(dsn))
			config.DefaultQueryExecMode = pgx.QueryExecModeExec
			conn, err := pgx.ConnectConfig(ctx, config)
			if err != nil {
				return
			}
			defer conn.Close(context.Background())
			for ctx.Err() == nil {
				conn.Exec(ctx, "SELECT pg_sleep(0.002)")
			}
		}()
	}
	n := 20
	for range n {
		if _, err := s.try(s.audit, through(dsn)); !errors.Is(err, locks.ErrPooled) {
			t.Errorf("%v", err)
		}
	}
	cancel()
	for range 6 {
		<-done
	}
	return fmt.Sprintf("%d of %d, with 6 clients on 4 sessions", n, n)
}
