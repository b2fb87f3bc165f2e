package locktest_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locktest"
)

var (
	seats = must(locks.NewPair[int32](registry, "seat", 1001))
	items = must(locks.NewRows[string](registry, "items", "id"))
)

// A bench is a server, the fake or a real one, with what the tests of
// transactions need of it. What holds for one holds for the other.
type bench struct {
	*testing.T
	db     locks.Beginner
	locker *locks.Locker
	fails  string // a statement that the server refuses
}

func TestMain(m *testing.M) { testdb.Main(m) }

type answers struct{}

func (answers) Exec(_ context.Context, sql string, _ ...any) (pgconn.CommandTag, error) {
	if sql == "select 1/0" {
		return pgconn.CommandTag{}, &pgconn.PgError{Code: "22012", Message: "division by zero"}
	}
	return pgconn.NewCommandTag("SELECT 1"), nil
}
func (answers) Query(context.Context, string, ...any) (pgx.Rows, error) { return nil, errors.New("no") }
func (answers) QueryRow(context.Context, string, ...any) pgx.Row        { return nil }

// both runs f on the fake and on PostgreSQL.
func both(t *testing.T, cfg locks.Config, f func(*bench)) {
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	l := must(locks.New(cfg))
	t.Run("fake", func(t *testing.T) {
		s := locktest.NewServer()
		s.Answer(answers{})
		f(&bench{t, s, l, "select 1/0"})
		s.Free(t)
	})
	t.Run("server", func(t *testing.T) {
		pool := testdb.Pool(t, testdb.Database(t, ""))
		for _, sql := range []string{"create table items (id text primary key)", "insert into items values ('a'), ('b'), ('ä \"\\')"} {
			must(pool.Exec(t.Context(), sql))
		}
		f(&bench{t, pool, l, "select 1/0"})
		locktest.Free(t, pool)
	})
}

func (b *bench) begin() pgx.Tx {
	b.Helper()
	tx := must(b.db.Begin(b.Context()))
	b.Cleanup(func() { tx.Rollback(context.Background()) })
	return tx
}

func (b *bench) try(tx pgx.Tx, k locks.Key, want bool, opts ...locks.Option) {
	b.Helper()
	if ok, err := b.locker.TryLock(b.Context(), tx, k, opts...); ok != want || err != nil {
		b.Errorf("TryLock of %v: %v %v", k, ok, err)
	}
}

func (b *bench) lock(tx pgx.Tx, k locks.Key, wait time.Duration, want bool, opts ...locks.Option) {
	b.Helper()
	if ok, err := b.locker.Lock(b.Context(), tx, k, wait, opts...); ok != want || err != nil {
		b.Errorf("Lock of %v: %v %v", k, ok, err)
	}
}

func (b *bench) refused(tx pgx.Tx, want error, opts ...locks.Option) {
	b.Helper()
	if ok, err := b.locker.TryLock(b.Context(), tx, orders.Key(9), opts...); ok || !errors.Is(err, want) {
		b.Errorf("TryLock: %v %v, not %v", ok, err, want)
	}
	if ok, err := b.locker.Lock(b.Context(), tx, orders.Key(9), time.Second, opts...); ok || !errors.Is(err, want) {
		b.Errorf("Lock: %v %v, not %v", ok, err, want)
	}
}

const brief = 20 * time.Millisecond

func TestTxExcludes(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		for _, k := range []locks.Key{orders.Key(1), seats.Key(-3)} {
			one, two := b.begin(), b.begin()
			b.try(one, k, true)
			b.try(one, k, true) // again, by its owner
			b.lock(one, k, brief, true)
			b.try(two, k, false)
			b.lock(two, k, brief, false)
			one.Commit(b.Context())
			b.try(two, k, true)
			two.Rollback(b.Context())
		}
		one, two, three := b.begin(), b.begin(), b.begin()
		b.try(one, orders.Key(1), true, locks.InShareMode)
		b.lock(two, orders.Key(1), brief, true, locks.InShareMode)
		b.try(three, orders.Key(1), false)
		b.lock(two, orders.Key(1), brief, false)
		for _, tx := range []pgx.Tx{one, two, three} {
			tx.Rollback(b.Context())
		}
	})
}

func TestTxWaits(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		one, two := b.begin(), b.begin()
		b.try(one, orders.Key(1), true)
		done := make(chan error)
		time.AfterFunc(brief, func() { done <- one.Commit(context.Background()) })
		b.lock(two, orders.Key(1), 10*time.Second, true)
		if err := <-done; err != nil {
			b.Error(err)
		}
		two.Rollback(b.Context())
	})
}

func TestTxAllOrNone(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		one, two, three := b.begin(), b.begin(), b.begin()
		b.try(one, orders.Key(2), true)
		if ok, err := b.locker.LockAll(b.Context(), two, orders.Keys(1, 2, 3), brief); ok || err != nil {
			b.Error(ok, err)
		}
		b.try(three, orders.Key(1), true)
		for _, tx := range []pgx.Tx{one, two, three} {
			tx.Rollback(b.Context())
		}
	})
}

func TestTxRefusals(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		b.refused(nil, locks.ErrNoTx)
		committed, rolled, aborted := b.begin(), b.begin(), b.begin()
		committed.Commit(b.Context())
		rolled.Rollback(b.Context())
		b.refused(committed, locks.ErrNoTx)
		b.refused(rolled, locks.ErrNoTx)
		if _, err := aborted.Exec(b.Context(), b.fails); err == nil {
			b.Fatal("the statement succeeded")
		}
		b.refused(aborted, locks.ErrTxAborted)
		if err := aborted.Commit(b.Context()); !errors.Is(err, pgx.ErrTxCommitRollback) {
			b.Errorf("the commit of an aborted transaction: %v", err)
		}
		if err := aborted.Commit(b.Context()); !errors.Is(err, pgx.ErrTxClosed) {
			b.Errorf("a second commit: %v", err)
		}
	})
}

// An error frees what was locked since the last savepoint, before anybody
// rolls back.
func TestTxAborted(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		one, two := b.begin(), b.begin()
		b.try(one, orders.Key(1), true)
		inner := must(one.Begin(b.Context()))
		b.try(inner, orders.Key(2), true, locks.AllowSavepoint)
		inner.Exec(b.Context(), b.fails)
		b.try(two, orders.Key(1), false)
		b.try(two, orders.Key(2), true)
		inner.Rollback(b.Context())
		one.Exec(b.Context(), b.fails)
		b.try(two, orders.Key(1), false) // the savepoint is still there: pgx goes back to it and leaves it
		one.Rollback(b.Context())
		b.try(two, orders.Key(1), true)
		three, four := b.begin(), b.begin()
		b.try(three, orders.Key(3), true)
		three.Exec(b.Context(), b.fails)
		b.try(four, orders.Key(3), true)
		for _, tx := range []pgx.Tx{two, three, four} {
			tx.Rollback(b.Context())
		}
	})
}

func TestTxSavepoint(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		tx, other := b.begin(), b.begin()
		b.try(tx, orders.Key(1), true)
		inner := must(tx.Begin(b.Context()))
		b.refused(inner, locks.ErrNestedTx)
		b.try(inner, orders.Key(2), true, locks.AllowSavepoint)
		b.lock(inner, orders.Key(3), time.Second, true, locks.AllowSavepoint)
		inner.Rollback(b.Context())
		b.refused(inner, locks.ErrNoTx, locks.AllowSavepoint)
		b.try(other, orders.Key(1), false)
		b.try(other, orders.Key(2), true)
		b.try(other, orders.Key(3), true)
		other.Rollback(b.Context())

		other = b.begin()
		inner = must(tx.Begin(b.Context()))
		b.try(inner, orders.Key(4), true, locks.AllowSavepoint)
		inner.Commit(b.Context())
		b.try(other, orders.Key(4), false) // it is the outer one's now
		inner = must(tx.Begin(b.Context()))
		inner.Exec(b.Context(), b.fails)
		b.refused(inner, locks.ErrTxAborted)
		inner.Rollback(b.Context())
		b.try(tx, orders.Key(5), true) // the outer one goes on
		tx.Commit(b.Context())
		b.try(other, orders.Key(4), true)
		other.Rollback(b.Context())
	})
}

func TestTxDeadlock(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		one, two := b.begin(), b.begin()
		b.try(one, orders.Key(1), true)
		b.try(two, orders.Key(2), true)
		done := make(chan error, 1)
		go func() {
			_, err := b.locker.Lock(context.Background(), one, orders.Key(2), 20*time.Second)
			one.Rollback(context.Background())
			done <- err
		}()
		_, err := b.locker.Lock(b.Context(), two, orders.Key(1), 20*time.Second)
		two.Rollback(b.Context())
		if err = errors.Join(err, <-done); !errors.Is(err, locks.ErrDeadlock) {
			b.Error(err)
		}
	})
}

func TestTxCancelled(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		one, two := b.begin(), b.begin()
		b.try(one, orders.Key(1), true)
		b.try(two, orders.Key(2), true)
		ctx, cancel := context.WithTimeout(b.Context(), brief)
		defer cancel()
		if ok, err := b.locker.Lock(ctx, two, orders.Key(1), 10*time.Second); ok || !errors.Is(err, context.DeadlineExceeded) {
			b.Error(ok, err)
		}
		b.refused(two, locks.ErrNoTx) // its connection is closed
		b.lock(one, orders.Key(2), 10*time.Second, true)
		one.Rollback(b.Context())
	})
}

func TestTxRows(t *testing.T) {
	both(t, locks.Config{}, func(b *bench) {
		one, two := b.begin(), b.begin()
		rows := func(tx pgx.Tx, mode locks.Mode, wait time.Duration, ids ...string) ([]string, bool) {
			found, ok, err := locks.LockRows(b.Context(), b.locker, tx, items, ids, mode, wait)
			if err != nil {
				b.Error(err)
			}
			return found, ok
		}
		if found, ok := rows(one, locks.ForUpdate, time.Second, `ä "\`, "b"); !ok || !reflect.DeepEqual(found, []string{"b", `ä "\`}) {
			b.Error(found, ok)
		}
		for _, wait := range []time.Duration{0, brief} {
			if found, ok := rows(two, locks.ForShare, wait, "a", "b"); ok || found != nil {
				b.Error(found, ok)
			}
		}
		if found, ok := rows(two, locks.ForKeyShare, 0, "a"); !ok || len(found) != 1 {
			b.Error(found, ok)
		}
		if _, ok := rows(one, locks.ForNoKeyUpdate, 0, "a"); !ok {
			b.Error("FOR KEY SHARE excluded FOR NO KEY UPDATE")
		}
		one.Rollback(b.Context())
		two.Rollback(b.Context())
	})
}

func TestTxOrder(t *testing.T) {
	cfg := locks.Config{Order: locks.MustOrder("order < stock;"), OrderMode: locks.OrderEnforce}
	both(t, cfg, func(b *bench) {
		err := b.locker.InTx(b.Context(), b.db, func(ctx context.Context, tx pgx.Tx) error {
			b.try(tx, stocks.Key(1), true)
			_, err := b.locker.Lock(ctx, tx, orders.Key(1), time.Second)
			return err
		})
		if !errors.Is(err, locks.ErrOrder) {
			b.Error(err)
		}
		// On one connection, what a transaction held is forgotten with it.
		err = b.locker.InTx(b.Context(), b.db, func(ctx context.Context, tx pgx.Tx) error {
			b.lock(tx, orders.Key(1), time.Second, true)
			b.lock(tx, stocks.Key(1), time.Second, true)
			return nil
		})
		if err != nil {
			b.Error(err)
		}
	})
}

// What only the fake can: session locks, their transactions and fences.
func TestTxUnderSession(t *testing.T) {
	f := locktest.NewServer()
	f.Answer(answers{})
	l := must(locks.New(locks.Config{Logger: slog.New(slog.DiscardHandler)}))
	m, _ := sessions(t, f)
	ctx := t.Context()
	held, _, err := m.TryAcquire(ctx, orders.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	other := must(f.Begin(ctx))
	if ok, err := l.TryLock(ctx, other, orders.Key(1)); ok || err != nil {
		t.Errorf("beside a session lock: %v %v", ok, err)
	}
	own := must(held.BeginTx(ctx, pgx.TxOptions{}))
	if ok, err := l.Lock(ctx, own, orders.Key(1), time.Second); !ok || err != nil {
		t.Errorf("in the lock's own session: %v %v", ok, err)
	}
	if err := held.Fence().Verify(ctx, own); err != nil {
		t.Error(err)
	}
	if err := own.Commit(ctx); err != nil {
		t.Error(err)
	}
	if err := held.Check(ctx); err != nil {
		t.Errorf("the lock went with the transaction: %v", err)
	}
	// A loss fails the commit.
	own = must(held.BeginTx(ctx, pgx.TxOptions{}))
	f.Kill(held)
	if err := own.Commit(ctx); err == nil {
		t.Error("committed without the lock")
	}
	<-held.Lost()
	next, _, err := m.Acquire(ctx, orders.Key(1), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Fence().Verify(ctx, other); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("the old owner's write: %v", err)
	}
	// The next owner waits for a transaction that has verified its token.
	if err := next.Fence().Verify(ctx, other); err != nil {
		t.Fatal(err)
	}
	next.Release(ctx)
	time.AfterFunc(brief, func() { other.Commit(context.Background()) })
	begun := time.Now()
	last, _, err := m.Acquire(ctx, orders.Key(1), time.Second)
	if err != nil || time.Since(begun) < brief {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
	last.Release(ctx)
	f.Free(t)
}

func TestTxFaults(t *testing.T) {
	f := locktest.NewServer()
	l := must(locks.New(locks.Config{Logger: slog.New(slog.DiscardHandler)}))
	ctx := t.Context()
	tx := must(f.Begin(ctx))
	if _, err := tx.Exec(ctx, "select 1"); err == nil || errors.Is(err, pgx.ErrTxClosed) {
		t.Errorf("a statement that nobody answers: %v", err)
	}
	f.FailLock(&pgconn.PgError{Code: "53200", Message: "out of shared memory"})
	if ok, err := l.TryLock(ctx, tx, orders.Key(1)); ok || !errors.Is(err, locks.ErrExhausted) {
		t.Error(ok, err)
	}
	if ok, err := l.TryLock(ctx, tx, orders.Key(1)); ok || !errors.Is(err, locks.ErrTxAborted) {
		t.Error(ok, err)
	}
	tx.Rollback(ctx)
	for _, end := range []func(pgx.Tx){func(tx pgx.Tx) { tx.(*locktest.Tx).Kill() }, func(pgx.Tx) { f.Restart() }} {
		tx := must(f.Begin(ctx))
		if ok, err := l.TryLock(ctx, tx, orders.Key(1)); !ok {
			t.Error(err)
		}
		end(tx)
		f.Free(t)
		if ok, err := l.TryLock(ctx, tx, orders.Key(1)); ok || !errors.Is(err, locks.ErrNoTx) {
			t.Error(ok, err)
		}
		if err := tx.Commit(ctx); err == nil {
			t.Error("committed")
		}
	}
}
