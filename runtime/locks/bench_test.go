package locks

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// idle is a transaction whose statements answer at once, so that what is
// left is what the helper costs.
type idle struct{ pgx.Tx }

type yes struct{}

func (yes) Scan(dest ...any) error {
	*dest[0].(*bool) = true
	return nil
}

func (idle) QueryRow(context.Context, string, ...any) pgx.Row { return yes{} }

const tryBare = "select pg_try_advisory_xact_lock($1::int8)"

func bare(tx pgx.Tx, n int64) error {
	var granted bool
	return tx.QueryRow(bg, tryBare, n).Scan(&granted)
}

// The helper may allocate twice more than the bare statement and cost 3 µs.
func TestOverheadOfTryLock(t *testing.T) {
	w := newWorld(t)
	tx := w.begin()
	k := w.order.Key("1234567890")
	for _, c := range []struct {
		name string
		key  func() Key
	}{{"made before", func() Key { return k }}, {"made each time", func() Key { return w.order.Key("1234567890") }}} {
		raw := testing.AllocsPerRun(300, func() { bare(tx, k.Int64()) })
		own := testing.AllocsPerRun(300, func() { w.lock.TryLock(bg, tx, c.key()) })
		if own-raw > 2 {
			t.Errorf("key %s: %v allocations, the bare statement %v", c.name, own, raw)
		}
	}
	still := idle{tx}
	const n = 2000
	helper, raw := time.Hour, time.Hour
	for range 20 {
		helper = min(helper, timed(n, func() { w.lock.TryLock(bg, still, w.order.Key("1234567890")) }))
		raw = min(raw, timed(n, func() { bare(still, k.Int64()) }))
	}
	t.Logf("%v, the bare call %v", helper, raw)
	if !raced && helper-raw > 3*time.Microsecond {
		t.Errorf("TryLock costs %v over the bare statement, want at most 3 µs", helper-raw)
	}
}

// timed returns the mean time of n calls.
func timed(n int, f func()) time.Duration {
	start := time.Now()
	for range n {
		f()
	}
	return time.Since(start) / time.Duration(n)
}

func BenchmarkTryLock(b *testing.B) {
	w := newWorld(b)
	tx := w.begin()
	k := w.order.Key("1234567890")
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			bare(tx, k.Int64())
		}
	})
	b.Run("helper", func(b *testing.B) {
		for b.Loop() {
			w.lock.TryLock(bg, tx, w.order.Key("1234567890"))
		}
	})
	b.Run("helper alone", func(b *testing.B) {
		for b.Loop() {
			w.lock.TryLock(bg, idle{tx}, w.order.Key("1234567890"))
		}
	})
	observing := ok(New(Config{OrderMode: OrderObserve}))(b)
	b.Run("helper, order observed", func(b *testing.B) {
		for b.Loop() {
			observing.TryLock(bg, idle{tx}, k)
			connHolding(tx.Conn(), newHolding).(*holding).clear()
		}
	})
}

func BenchmarkLockBounded(b *testing.B) {
	w := newWorld(b)
	tx := w.begin()
	k := w.order.Key("1")
	b.Run("bare, no bound", func(b *testing.B) {
		for b.Loop() {
			tx.Exec(bg, "select pg_advisory_xact_lock($1::int8)", k.Int64())
		}
	})
	b.Run("bare, five statements", func(b *testing.B) {
		for b.Loop() {
			for _, s := range []string{"savepoint a", "set local lock_timeout = 1000", "select pg_advisory_xact_lock(1)", "set local lock_timeout = 0", "release savepoint a"} {
				tx.Exec(bg, s)
			}
		}
	})
	b.Run("helper", func(b *testing.B) {
		for b.Loop() {
			w.lock.Lock(bg, tx, k, time.Second)
		}
	})
}

func BenchmarkKey(b *testing.B) {
	r := &Registry{}
	text := ok(NewFamily[string](r, "order"))(b)
	named := ok(NewFamily[orderID](r, "named"))(b)
	number := ok(NewFamily[int64](r, "number"))(b)
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			text.Key("1234567890")
		}
	})
	b.Run("named text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			named.Key("1234567890")
		}
	})
	b.Run("integer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			number.Key(1234567890)
		}
	})
}
