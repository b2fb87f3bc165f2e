package pqtest

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locksql"
)

func TestTransactionLocks(t *testing.T) {
	each(t, func(w *world) {
		for _, k := range []locks.Key{w.order.Key("é"), w.seat.Key(-3)} {
			first, second := w.begin(), w.begin()
			if !ok(locksql.TryLock(bg, w.lock, first, k))(w) || ok(locksql.TryLock(bg, w.lock, second, k))(w) {
				w.Errorf("%s does not exclude", k)
			}
			if ok(locksql.Lock(bg, w.lock, second, k, 30*time.Millisecond))(w) {
				w.Errorf("%s was granted twice", k)
			}
			if got := w.text(second, "select current_setting('lock_timeout')"); got != "0" {
				w.Errorf("lock_timeout is %s", got)
			}
			first.Commit()
			if !ok(locksql.Lock(bg, w.lock, second, k, time.Second))(w) {
				w.Errorf("%s is not free", k)
			}
			second.Commit()
		}
		keys := append(w.order.Keys("a", "b", "c"), w.seat.Key(1))
		holder, tx := w.begin(), w.begin()
		ok(locksql.TryLock(bg, w.lock, holder, w.order.Key("b")))(w)
		if ok(locksql.LockAll(bg, w.lock, tx, keys, 30*time.Millisecond))(w) || w.advisory() != "1" {
			w.Errorf("LockAll took some: %s are held", w.advisory())
		}
		holder.Rollback()
		if !ok(locksql.LockAll(bg, w.lock, tx, keys, time.Second))(w) || w.advisory() != "4" {
			w.Errorf("LockAll did not take all: %s are held", w.advisory())
		}
		tx.Rollback()
		if n := w.advisory(); n != "0" {
			w.Errorf("%s locks are left", n)
		}
	})
}

func TestRefusals(t *testing.T) {
	each(t, func(w *world) {
		finished := w.begin()
		finished.Commit()
		aborted := w.begin()
		aborted.ExecContext(bg, "select 1/0")
		for _, c := range []struct {
			tx   *sql.Tx
			want error
		}{{nil, locks.ErrNoTx}, {finished, locks.ErrNoTx}, {aborted, locks.ErrTxAborted}} {
			if _, err := locksql.TryLock(bg, w.lock, c.tx, w.order.Key("1")); !errors.Is(err, c.want) {
				w.Errorf("TryLock: %v, want %v", err, c.want)
			}
			if _, err := locksql.Lock(bg, w.lock, c.tx, w.order.Key("1"), time.Second); !errors.Is(err, c.want) {
				w.Errorf("Lock: %v, want %v", err, c.want)
			}
		}
	})
}

func TestDeadlock(t *testing.T) {
	each(t, func(w *world) {
		a, b := w.order.Key("a"), w.order.Key("b")
		one, two := w.begin(), w.begin()
		ok(locksql.TryLock(bg, w.lock, one, a))(w)
		ok(locksql.TryLock(bg, w.lock, two, b))(w)
		done := make(chan error, 1)
		go func() {
			_, err := locksql.Lock(bg, w.lock, one, b, 20*time.Second)
			one.Rollback() // the loser lets the other go on
			done <- err
		}()
		_, err := locksql.Lock(bg, w.lock, two, a, 20*time.Second)
		two.Rollback()
		if err := errors.Join(err, <-done); !errors.Is(err, locks.ErrDeadlock) {
			w.Errorf("got %v", err)
		}
	})
}

func TestTimeoutAtTheGrant(t *testing.T) {
	each(t, func(w *world) {
		k, lost, rnd := w.order.Key("race"), 0, rand.New(rand.NewPCG(1, 2))
		const trials = 50
		for range trials {
			holder, tx := w.begin(), w.begin()
			if !ok(locksql.TryLock(bg, w.lock, holder, k))(w) {
				w.Fatal("the key is not free")
			}
			released := make(chan struct{})
			time.AfterFunc(4*time.Millisecond+time.Duration(rnd.IntN(2000)-1000)*time.Microsecond, func() {
				holder.Rollback()
				close(released)
			})
			granted := ok(locksql.Lock(bg, w.lock, tx, k, 4*time.Millisecond))(w)
			mine := w.text(tx, "select count(*)::text from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted")
			if (mine == "1") != granted {
				w.Fatalf("granted %v, holds %s", granted, mine)
			}
			if !granted {
				lost++
			}
			<-released
			tx.Rollback()
		}
		w.Logf("%d of %d waits ran out", lost, trials)
	})
}

func TestLockRows(t *testing.T) {
	each(t, func(w *world) {
		for _, s := range []string{"create table acc (id bigint primary key)", "insert into acc select generate_series(1, 9)"} {
			ok(w.db.ExecContext(bg, s))(w)
		}
		acc := ok(locks.NewRows[int64](w.reg, "acc", "id"))(w)
		tx, other := w.begin(), w.begin()
		found, granted, err := locksql.LockRows(bg, w.lock, tx, acc, []int64{7, 3, 99}, locks.ForUpdate, time.Second)
		if err != nil || !granted || !reflect.DeepEqual(found, []int64{3, 7}) {
			w.Errorf("got %v, %v, %v", found, granted, err)
		}
		if _, granted, err := locksql.LockRows(bg, w.lock, other, acc, []int64{3}, locks.ForShare, 0); granted || err != nil {
			w.Errorf("nowait: %v, %v", granted, err)
		}
	})
}

// database/sql rolls a transaction back when its context is cancelled; InTx
// does not let the lock go under a function that still runs.
func TestCancelDoesNotFreeTheLockUnderTheWorker(t *testing.T) {
	each(t, func(w *world) {
		k := w.order.Key("1")
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		err := locksql.InTx(ctx, w.lock, w.db, func(ctx context.Context, tx *sql.Tx) error {
			ok(locksql.TryLock(ctx, w.lock, tx, k))(w)
			cancel()
			for range 20 {
				if n := w.advisory(); n != "1" {
					w.Fatalf("%s locks are held while the worker runs", n)
				}
			}
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			w.Errorf("got %v", err)
		}
		if n := w.advisory(); n != "0" {
			w.Errorf("%s locks are left", n)
		}
	})
}

func TestOrderIsEnforced(t *testing.T) {
	each(t, func(w *world) {
		l := ok(locks.New(locks.Config{Order: locks.MustOrder("order < seat;"), OrderMode: locks.OrderEnforce}))(w)
		err := locksql.InTx(bg, l, w.db, func(ctx context.Context, tx *sql.Tx) error {
			ok(locksql.TryLock(ctx, l, tx, w.seat.Key(1)))(w)
			if _, err := locksql.Lock(ctx, l, tx, w.order.Key("1"), time.Second); !errors.Is(err, locks.ErrOrder) {
				w.Errorf("in one transaction: %v", err)
			}
			return locksql.InTx(ctx, l, w.db, func(ctx context.Context, tx *sql.Tx) error {
				_, err := locksql.Lock(ctx, l, tx, w.order.Key("1"), time.Second)
				return err
			})
		})
		if !errors.Is(err, locks.ErrOrder) {
			w.Errorf("across connections: %v", err)
		}
	})
}
