package locksprom

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

func TestCollector(t *testing.T) {
	orders, err := locks.NewFamily[string](&locks.Registry{}, "order")
	if err != nil {
		t.Fatal(err)
	}
	k, ctx := orders.Key("secret-id"), context.Background()
	c := New(prometheus.Labels{"service": "shop"})
	reg := prometheus.NewPedanticRegistry()
	if err := reg.Register(c); err != nil {
		t.Fatal(err)
	}
	a := locks.Attempt{Key: k, Count: 1, Scope: locks.TxScope, Mode: locks.Exclusive}
	c.End(c.Begin(ctx, a), a, locks.Result{Outcome: locks.Contended, Took: 2 * time.Millisecond})
	for _, e := range []locks.Event{
		{Kind: locks.Opened}, {Kind: locks.Opened}, {Kind: locks.Released, Held: time.Second}, {Kind: locks.Fenced, Err: errors.New("x")},
	} {
		e.Key, e.Scope, e.Mode = k, locks.SessionScope, locks.Exclusive
		c.Event(ctx, e)
	}
	want := `
# HELP pglockdep_lock_events_total What somebody should look at.
# TYPE pglockdep_lock_events_total counter
pglockdep_lock_events_total{event="fenced",family="order",service="shop"} 1
# HELP pglockdep_lock_sessions_active Session locks that are held.
# TYPE pglockdep_lock_sessions_active gauge
pglockdep_lock_sessions_active{family="order",mode="exclusive",scope="session",service="shop"} 1
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "pglockdep_lock_events_total", "pglockdep_lock_sessions_active"); err != nil {
		t.Error(err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(families) != 4 {
		t.Errorf("%d metrics", len(families))
	}
	for _, f := range families {
		if strings.Contains(f.String(), "secret-id") {
			t.Errorf("the id is in %s", f)
		}
		if f.GetName() == "pglockdep_lock_attempt_duration_seconds" && !strings.Contains(f.String(), "contended") {
			t.Errorf("no outcome in %s", f)
		}
	}
}
