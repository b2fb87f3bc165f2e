package locks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// lockgraph reads the same text in the tool; both are tested with this table.
func TestOrderText(t *testing.T) {
	data, err := os.ReadFile("testdata/order.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text  string
		Error string
		Less  [][2]string
		Not   [][2]string
		Nests []string
		Chain []string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		o, err := ParseOrder(c.Text)
		if c.Error != "" {
			if err == nil || err.Error() != c.Error {
				t.Errorf("%q: %v, want %s", c.Text, err, c.Error)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.Text, err)
			continue
		}
		for _, p := range c.Less {
			if !o.Less(p[0], p[1]) {
				t.Errorf("%q: not %s < %s", c.Text, p[0], p[1])
			}
		}
		for _, p := range c.Not {
			if o.Less(p[0], p[1]) {
				t.Errorf("%q: %s < %s", c.Text, p[0], p[1])
			}
		}
		for _, n := range c.Nests {
			if reason, ok := o.Nests(n); !ok || reason == "" {
				t.Errorf("%q: %s does not nest", c.Text, n)
			}
		}
		if n := len(c.Chain); n > 0 && !reflect.DeepEqual(o.Chain(c.Chain[0], c.Chain[n-1]), c.Chain) {
			t.Errorf("%q: chain %q, want %q", c.Text, o.Chain(c.Chain[0], c.Chain[n-1]), c.Chain)
		}
	}
	if len(cases) < 10 {
		t.Errorf("%d cases", len(cases))
	}
}

func TestOrderNamesFamilies(t *testing.T) {
	r := &Registry{}
	ok(NewFamily[string](r, "order"))(t)
	ok(NewRows[int64](r, "core.pools", "id"))(t)
	o := MustOrder("LAYER < advisory order < row core.pools; order: < bil;")
	if got := o.Unknown(r); !reflect.DeepEqual(got, []string{"bil"}) {
		t.Errorf("unknown: %q", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("MustOrder does not panic")
		}
	}()
	MustOrder("a < b")
}

const declared = "bill < order; order < seat; # seats last"

func tracked(mode OrderMode, rec *recorder) func(*Config) {
	return func(c *Config) { c.Order, c.OrderMode, c.Observer = MustOrder(declared), mode, rec }
}

// wantOrder takes keys one by one in one transaction, waiting for each.
func (w *world) take(keys ...Key) (err error) {
	return w.lock.InTx(bg, w.pool, func(ctx context.Context, tx pgx.Tx) error {
		for _, k := range keys {
			if granted, err := w.lock.Lock(ctx, tx, k, time.Second); err != nil || !granted {
				return errors.Join(err, fmt.Errorf("%s: granted %v", k, granted))
			}
		}
		return nil
	})
}

func TestOrderModes(t *testing.T) {
	for mode, want := range map[OrderMode]int{OrderOff: 0, OrderObserve: 1, OrderEnforce: 1} {
		rec := &recorder{}
		w := newWorld(t, tracked(mode, rec))
		if err := w.take(w.bill.Key(1), w.order.Key("x"), w.seat.Key(1)); err != nil || len(rec.seen()) != 0 {
			t.Errorf("%d: in order: %v, %v", mode, err, rec.seen())
		}
		err := w.take(w.seat.Key(1), w.bill.Key(1))
		if got := errors.Is(err, ErrOrder); got != (mode == OrderEnforce) {
			t.Errorf("%d: got %v", mode, err)
		}
		events := rec.seen()
		if len(events) != want {
			t.Fatalf("%d: %d events, want %d", mode, len(events), want)
		}
		if want == 0 {
			continue
		}
		var e *OrderError
		if events[0].Kind != OutOfOrder || !errors.As(events[0].Err, &e) {
			t.Fatalf("%d: event %+v", mode, events[0])
		}
		msg := `bill:1 (exclusive) wanted while seat:1 (exclusive) is held; declared order: bill < order < seat`
		if e.Error() != msg {
			t.Errorf("got  %s\nwant %s", e, msg)
		}
		if s := e.Stacks(); strings.Count(s, "TestOrderModes") < 2 {
			t.Errorf("the stacks do not lead here:\n%s", s)
		}
		// The try cannot wait and is no hop; what it got is held.
		if err := w.lock.InTx(bg, w.pool, func(ctx context.Context, tx pgx.Tx) error {
			ok(w.lock.TryLock(ctx, tx, w.seat.Key(1)))(t)
			ok(w.lock.TryLock(ctx, tx, w.bill.Key(1)))(t)
			return nil
		}); err != nil || len(rec.seen()) != want {
			t.Errorf("%d: tries: %v, %d events", mode, err, len(rec.seen()))
		}
		w.take(w.seat.Key(2), w.bill.Key(2))
		if events := rec.seen(); len(events) != want+1 || !events[want].Again {
			t.Errorf("%d: the second time: %+v", mode, events)
		}
	}
}

func TestOrderPanics(t *testing.T) {
	w := newWorld(t, tracked(OrderPanic, &recorder{}))
	defer func() {
		if e, ok := recover().(*OrderError); !ok || e.Hops[0].Wanted != w.bill.Key(1) {
			t.Errorf("recovered %v", e)
		}
		if n := w.advisory(); n != 0 {
			t.Errorf("%d locks are left", n)
		}
	}()
	w.take(w.order.Key("1"), w.bill.Key(1))
}

func TestOrderWithinAFamily(t *testing.T) {
	rec := &recorder{}
	w := newWorld(t, tracked(OrderEnforce, rec))
	keys := w.order.Keys("a", "b", "c")
	if err := w.take(keys...); err != nil {
		t.Error(err)
	}
	if err := w.take(keys[1], keys[0]); !errors.Is(err, ErrOrder) {
		t.Errorf("descending: %v", err)
	}
	if err := w.take(keys[0], keys[1], keys[0]); err != nil {
		t.Errorf("taking it again: %v", err)
	}
	nested := newWorld(t, func(c *Config) {
		c.Order, c.OrderMode = MustOrder("order < order; # sorted by the caller"), OrderEnforce
	})
	if err := nested.take(nested.order.Keys("a", "b")[1], nested.order.Keys("a", "b")[0]); err != nil {
		t.Errorf("permitted nesting: %v", err)
	}
}

// What no order declares is learned: the second way round is reported, with
// the stacks of both.
func TestOrderIsLearned(t *testing.T) {
	rec := &recorder{}
	w := newWorld(t, func(c *Config) { c.OrderMode, c.Observer = OrderEnforce, rec })
	if err := w.take(w.order.Key("1"), w.bill.Key(1)); err != nil || len(rec.seen()) != 0 {
		t.Fatal(err, rec.seen())
	}
	if err := w.take(w.bill.Key(2), w.seat.Key(1)); err != nil || len(rec.seen()) != 0 {
		t.Fatal(err, rec.seen())
	}
	if err := w.take(w.seat.Key(2), w.order.Key("2")); err != nil {
		t.Errorf("what is only learned was refused: %v", err)
	}
	events := rec.seen()
	if len(events) != 1 {
		t.Fatalf("%d events: %v", len(events), events)
	}
	e := events[0].Err.(*OrderError)
	if len(e.Hops) != 3 || e.Hops[0].Held != w.seat.Key(2) || e.Hops[1].Held != w.order.Key("1") || e.Hops[2].Held != w.bill.Key(2) {
		t.Errorf("hops %+v", e.Hops)
	}
	for _, h := range e.Hops {
		if !strings.Contains(h.Stack, "TestOrderIsLearned") || !strings.Contains(h.HeldStack, "TestOrderIsLearned") {
			t.Errorf("a stack of %s does not lead here", h.Wanted)
		}
	}
}

// A lock that all sides hold first keeps them apart.
func TestGateKeepsQuiet(t *testing.T) {
	rec := &recorder{}
	w := newWorld(t, func(c *Config) { c.OrderMode, c.Observer = OrderObserve, rec })
	w.take(w.admin, w.order.Key("1"), w.bill.Key(1))
	w.take(w.admin, w.bill.Key(1), w.order.Key("1"))
	if events := rec.seen(); len(events) != 0 {
		t.Fatalf("gated: %v", events)
	}
	w.take(w.bill.Key(1), w.order.Key("1"))
	if events := rec.seen(); len(events) != 1 {
		t.Errorf("gated on one side only: %d events", len(events))
	}
}

func TestSharedHopsDoNotBlock(t *testing.T) {
	rec := &recorder{}
	w := newWorld(t, func(c *Config) { c.OrderMode, c.Observer = OrderObserve, rec })
	take := func(keys ...Key) {
		err := w.lock.InTx(bg, w.pool, func(ctx context.Context, tx pgx.Tx) error {
			for _, k := range keys {
				ok(w.lock.Lock(ctx, tx, k, time.Second, InShareMode))(t)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	take(w.order.Key("1"), w.bill.Key(1))
	take(w.bill.Key(1), w.order.Key("1"))
	if events := rec.seen(); len(events) != 0 {
		t.Errorf("shared: %v", events)
	}
}

func TestRaisedLockIsReported(t *testing.T) {
	rec := &recorder{}
	w := newWorld(t, func(c *Config) { c.OrderMode, c.Observer = OrderObserve, rec })
	tx := w.begin()
	ok(w.lock.Lock(bg, tx, w.admin, time.Second, InShareMode))(t)
	ok(w.lock.Lock(bg, tx, w.admin, time.Second))(t)
	if events := rec.seen(); len(events) != 1 || !strings.Contains(events[0].Err.Error(), "raised") {
		t.Errorf("got %v", events)
	}
}

// PostgreSQL cannot see a wait of a call chain for itself.
func TestTwoConnectionsOfOneCaller(t *testing.T) {
	rec := &recorder{}
	w := newWorld(t, tracked(OrderEnforce, rec))
	err := w.lock.InTx(bg, w.pool, func(ctx context.Context, tx pgx.Tx) error {
		ok(w.lock.TryLock(ctx, tx, w.order.Key("1")))(t)
		return w.lock.InTx(ctx, w.pool, func(ctx context.Context, inner pgx.Tx) error {
			err := second(w.lock.Lock(ctx, inner, w.order.Key("1"), 10*time.Second))
			if !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "wait for itself") {
				t.Errorf("the same key: %v", err)
			}
			return second(w.lock.Lock(ctx, inner, w.bill.Key(1), time.Second))
		})
	})
	if !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "bill < order") {
		t.Errorf("across connections: %v", err)
	}
}

// A holding ends with its transaction, with and without InTx.
func TestHoldingsEnd(t *testing.T) {
	w := newWorld(t, tracked(OrderEnforce, &recorder{}))
	conn := ok(w.pool.Acquire(bg))(t)
	defer conn.Release()
	for range 3 {
		tx := ok(conn.Begin(bg))(t)
		ok(w.lock.Lock(bg, tx, w.bill.Key(1), time.Second))(t)
		ok(w.lock.Lock(bg, wrapped{tx}, w.order.Key("1"), time.Second))(t)
		if err := second(w.lock.Lock(bg, wrapped{tx}, w.bill.Key(2), time.Second)); !errors.Is(err, ErrOrder) {
			t.Errorf("the wrapper forgot what is held: %v", err)
		}
		tx.Commit(bg)
		if err := second(w.lock.Lock(bg, tx, w.bill.Key(2), time.Second)); !errors.Is(err, ErrNoTx) {
			t.Errorf("finished: %v", err)
		}
	}
}
