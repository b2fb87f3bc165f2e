package locksotel

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

type stateError string

func (e stateError) Error() string    { return "deadlock detected" }
func (e stateError) SQLState() string { return string(e) }

func TestMetricsAndSpans(t *testing.T) {
	orders, err := locks.NewFamily[string](&locks.Registry{}, "order")
	if err != nil {
		t.Fatal(err)
	}
	k, ctx := orders.Key("secret-id"), context.Background()
	reader, spans := sdk.NewManualReader(), tracetest.NewSpanRecorder()
	o, err := New(Config{Meters: sdk.NewMeterProvider(sdk.WithReader(reader)), Tracers: trace.NewTracerProvider(trace.WithSpanProcessor(spans)), Database: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	a := locks.Attempt{Key: k, Count: 2, Scope: locks.TxScope, Mode: locks.Exclusive, Wait: time.Second}
	o.End(o.Begin(ctx, a), a, locks.Result{Outcome: locks.Deadlocked, Took: time.Millisecond, Err: fmt.Errorf("locks: %w", stateError("40P01"))})
	for _, kind := range []locks.EventKind{locks.Opened, locks.Opened, locks.Lost, locks.Destroyed, locks.OutOfOrder, locks.Fenced, locks.ReleaseFailed} {
		o.Event(ctx, locks.Event{Kind: kind, Key: k, Scope: locks.SessionScope, Mode: locks.Exclusive, Held: time.Second})
	}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &data); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pglockdep.lock.attempt.duration", "pglockdep.lock.hold.duration", "pglockdep.lock.sessions.active", "pglockdep.lock.sessions.lost",
		"pglockdep.lock.release.failures", "pglockdep.lock.connections.destroyed", "pglockdep.lock.order.violations", "pglockdep.lock.fence.rejections",
		`"db.system.name"`, `"db.namespace"`, `"db.response.status_code"`, `"error.type"`, `"40P01"`, `"deadlock"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, m := range data.ScopeMetrics[0].Metrics {
		if sum, ok := m.Data.(metricdata.Sum[int64]); ok && sum.DataPoints[0].Value != 1 {
			t.Errorf("%s is %d, want 1", m.Name, sum.DataPoints[0].Value)
		}
	}
	ended := spans.Ended()
	if len(ended) != 1 || ended[0].Name() != "lock order" || ended[0].Status().Description != "40P01" {
		t.Fatalf("spans %v", ended)
	}
	told := fmt.Sprint(ended[0].Attributes())
	if !strings.Contains(told, "deadlock") {
		t.Errorf("attributes %s", told)
	}
	if strings.Contains(string(text)+told, "secret-id") {
		t.Error("the id is told")
	}
}

func TestIDsInSpans(t *testing.T) {
	orders, err := locks.NewFamily[string](&locks.Registry{}, "order")
	if err != nil {
		t.Fatal(err)
	}
	spans := tracetest.NewSpanRecorder()
	o, err := New(Config{Tracers: trace.NewTracerProvider(trace.WithSpanProcessor(spans)), IDsInSpans: true})
	if err != nil {
		t.Fatal(err)
	}
	a := locks.Attempt{Key: orders.Key("42"), Count: 1, Scope: locks.TxScope, Mode: locks.Share}
	o.End(o.Begin(context.Background(), a), a, locks.Result{Outcome: locks.Acquired})
	if told := fmt.Sprint(spans.Ended()[0].Attributes()); !strings.Contains(told, "42") || !strings.Contains(told, "acquired") {
		t.Errorf("attributes %s", told)
	}
}
