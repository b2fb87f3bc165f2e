package locktest_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locktest"
)

var (
	registry = &locks.Registry{}
	orders   = must(locks.NewFamily[int](registry, "order"))
	stocks   = must(locks.NewFamily[int](registry, "stock"))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// seen counts events.
type seen struct {
	mu     sync.Mutex
	events map[locks.EventKind]int
	ends   map[locks.Outcome]int
}

func (o *seen) Begin(ctx context.Context, _ locks.Attempt) context.Context { return ctx }

func (o *seen) End(_ context.Context, _ locks.Attempt, r locks.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ends[r.Outcome]++
}

func (o *seen) Event(_ context.Context, e locks.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events[e.Kind]++
}

func (o *seen) want(t *testing.T, kind locks.EventKind, n int) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.events[kind] != n {
		t.Errorf("%d events %s instead of %d", o.events[kind], kind, n)
	}
}

func sessions(t *testing.T, f *locktest.Server, change ...func(*locks.Config)) (*locks.Sessions, *seen) {
	o := &seen{events: map[locks.EventKind]int{}, ends: map[locks.Outcome]int{}}
	cfg := locks.Config{Observer: o, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	for _, c := range change {
		c(&cfg)
	}
	return f.Sessions(t, must(locks.New(cfg)), locks.SessionConfig{
		Heartbeat: 100 * time.Millisecond, Trust: time.Second, ReleaseTimeout: 100 * time.Millisecond, PollMin: time.Millisecond, PollMax: 2 * time.Millisecond,
	}), o
}

func TestContention(t *testing.T) {
	f := locktest.NewServer()
	a, _ := sessions(t, f)
	b, o := sessions(t, f)
	s, ok, err := a.TryAcquire(t.Context(), orders.Key(1))
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if f.Holder(orders.Key(1)) != s.PID() {
		t.Error("the server has another owner")
	}
	if _, ok, err := b.TryAcquire(t.Context(), orders.Key(1)); ok || err != nil {
		t.Error(ok, err)
	}
	if _, ok, err := b.Acquire(t.Context(), orders.Key(1), 10*time.Millisecond); ok || err != nil {
		t.Error(ok, err)
	}
	if o.ends[locks.Contended] != 1 || o.ends[locks.TimedOut] != 1 {
		t.Errorf("outcomes %v", o.ends)
	}
	go func() {
		time.Sleep(5 * time.Millisecond)
		s.Release(context.Background())
	}()
	next, ok, err := b.Acquire(t.Context(), orders.Key(1), 10*time.Second)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := f.Verify(orders.Key(1), s.Fence()); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("the old fence: %v", err)
	}
	if err := f.Verify(orders.Key(1), next.Fence()); err != nil {
		t.Error(err)
	}
	if err := next.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestKill(t *testing.T) {
	f := locktest.NewServer()
	m, o := sessions(t, f)
	ran, err := m.Do(t.Context(), orders.Key(1), 0, func(ctx context.Context, s *locks.Session) error {
		f.Kill(s)
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), locks.ErrLost) {
			t.Errorf("cause: %v", context.Cause(ctx))
		}
		return nil
	})
	if !ran || !errors.Is(err, locks.ErrLost) {
		t.Error(ran, err)
	}
	o.want(t, locks.Lost, 1)
	o.want(t, locks.Destroyed, 1)
	o.want(t, locks.Released, 0)
}

// A server that does not answer loses the lock after Trust, and the owner
// stops while the server still has it.
func TestTrust(t *testing.T) {
	f := locktest.NewServer()
	m, o := sessions(t, f)
	s, _, err := m.TryAcquire(t.Context(), orders.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(250 * time.Millisecond) // two heartbeats
	begun := time.Now()
	f.Freeze()
	select {
	case <-s.Lost():
	case <-time.After(5 * time.Second):
		t.Fatal("the loss was not told")
	}
	if took := time.Since(begun); took < 500*time.Millisecond {
		t.Errorf("given up after %v, before Trust", took)
	}
	if f.Holder(orders.Key(1)) != s.PID() {
		t.Error("the server has freed the lock already")
	}
	var failed *locks.ReleaseError
	if err := s.Release(t.Context()); !errors.As(err, &failed) || failed.Ended || !errors.Is(err, locks.ErrLost) {
		t.Errorf("the release: %v", err)
	}
	f.Thaw()
	o.want(t, locks.Lost, 1)
	if n, ok, err := m.TryAcquire(t.Context(), orders.Key(1)); !ok || err != nil {
		t.Error(ok, err)
	} else if err := n.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// A quiet owner is believed as long as the heartbeats are answered.
func TestHeartbeat(t *testing.T) {
	f := locktest.NewServer()
	m, _ := sessions(t, f)
	s, _, err := m.TryAcquire(t.Context(), orders.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond) // longer than Trust
	if err := s.Err(); err != nil {
		t.Error(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCancelAtGrant(t *testing.T) {
	f := locktest.NewServer()
	m, o := sessions(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	f.CancelAtGrant(cancel)
	if _, ok, err := m.TryAcquire(ctx, orders.Key(1)); ok || !errors.Is(err, context.Canceled) {
		t.Error(ok, err)
	}
	if f.Holder(orders.Key(1)) != 0 {
		t.Error("the lock is held after an error")
	}
	o.want(t, locks.Destroyed, 1)
}

func TestFailedUnlock(t *testing.T) {
	f := locktest.NewServer()
	m, o := sessions(t, f)
	s, _, err := m.TryAcquire(t.Context(), orders.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	f.FailUnlock(broken)
	var failed *locks.ReleaseError
	if err := s.Release(t.Context()); !errors.Is(err, broken) || !errors.As(err, &failed) || !failed.Ended {
		t.Errorf("%v", err)
	}
	if f.Holder(orders.Key(1)) != 0 {
		t.Error("the lock is held")
	}
	o.want(t, locks.ReleaseFailed, 1)
	o.want(t, locks.Destroyed, 1)
}

func TestFailover(t *testing.T) {
	f := locktest.NewServer()
	m, _ := sessions(t, f)
	s, _, err := m.TryAcquire(t.Context(), orders.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	f.Promote()
	<-s.Lost()
	if err := f.Verify(orders.Key(1), s.Fence()); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("the fence of the old epoch: %v", err)
	}
	f.Demote()
	if _, ok, err := m.TryAcquire(t.Context(), orders.Key(1)); ok || !errors.Is(err, locks.ErrReadOnly) {
		t.Error(ok, err)
	}
}

// The declared order holds across session locks of one context.
func TestOrder(t *testing.T) {
	f := locktest.NewServer()
	m, o := sessions(t, f, func(c *locks.Config) { c.Order, c.OrderMode = locks.MustOrder("order < stock;"), locks.OrderEnforce })
	nest := func(first, second locks.Key) error {
		_, err := m.Do(t.Context(), first, time.Second, func(ctx context.Context, _ *locks.Session) error {
			_, err := m.Do(ctx, second, time.Second, func(context.Context, *locks.Session) error { return nil })
			return err
		})
		return err
	}
	if err := nest(orders.Key(1), stocks.Key(1)); err != nil {
		t.Errorf("in order: %v", err)
	}
	if err := nest(stocks.Key(1), orders.Key(1)); !errors.Is(err, locks.ErrOrder) {
		t.Errorf("against the order: %v", err)
	}
	o.want(t, locks.OutOfOrder, 1)
	// What was released counts no more.
	s, _, err := m.TryAcquire(t.Context(), stocks.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	s.Release(t.Context())
	if n, ok, err := m.Acquire(context.WithoutCancel(s.Context()), orders.Key(1), time.Second); !ok || err != nil {
		t.Error(ok, err)
	} else {
		n.Release(t.Context())
	}
}

// Waiters of one program have the lock in the order they came.
func TestLine(t *testing.T) {
	f := locktest.NewServer()
	m, _ := sessions(t, f)
	first, _, err := m.TryAcquire(t.Context(), orders.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []int
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			m.Do(t.Context(), orders.Key(1), 10*time.Second, func(context.Context, *locks.Session) error {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, i)
				return nil
			})
		})
		for m.Waiting(orders.Key(1)) != i+1 {
			time.Sleep(100 * time.Microsecond)
		}
	}
	if err := first.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for i, n := range got {
		if n != i {
			t.Fatalf("the order was %v", got)
		}
	}
	if len(got) != 20 {
		t.Fatalf("%d of 20 had the lock", len(got))
	}
}

func TestConfig(t *testing.T) {
	l := must(locks.New(locks.Config{}))
	for _, c := range []locks.SessionConfig{
		{},
		{DSN: "host=x", Heartbeat: time.Second, Trust: time.Second},
		{DSN: "host=x", Trust: 3 * time.Second, ServerTimeout: 3 * time.Second},
		{DSN: "host=x", PollMin: time.Second},
		{DSN: "host=x", Heartbeat: -1},
		{DSN: "host=x", FenceTable: "a.b.c.d"},
	} {
		if _, err := l.OpenSessions(t.Context(), c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
