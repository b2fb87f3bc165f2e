// Package locksotel tells OpenTelemetry what a locks.Locker does.
//
// Attempts and events of a Locker enter, as its Observer; metrics and spans
// leave through the providers of the program. Attributes that the semantic
// conventions for databases name bear their names; the family of a key is an
// attribute, its id never is one of a metric. The package starts nothing and
// exports nothing by itself.
//
// Metrics:
//
//	pglockdep.lock.attempt.duration     s    family, scope, mode, outcome, and the error's type and SQLSTATE
//	pglockdep.lock.hold.duration        s    session locks, until they were released or lost
//	pglockdep.lock.sessions.active           session locks that are held
//	pglockdep.lock.sessions.lost
//	pglockdep.lock.release.failures
//	pglockdep.lock.connections.destroyed
//	pglockdep.lock.order.violations
//	pglockdep.lock.fence.rejections
package locksotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// A Config says where metrics and spans go.
type Config struct {
	Meters  metric.MeterProvider // nil: the global one
	Tracers trace.TracerProvider // nil: the global one
	// Database is db.namespace, the name of the database; empty: left out.
	Database string
	// IDsInSpans puts the id of the key on spans. It may be personal data.
	IDsInSpans bool
}

const scope = "github.com/pglockdep/pglockdep/runtime/locks"

// The attributes of the semantic conventions, version 1.37, and our own.
const (
	dbSystem    = attribute.Key("db.system.name")
	dbNamespace = attribute.Key("db.namespace")
	dbStatus    = attribute.Key("db.response.status_code")
	errorType   = attribute.Key("error.type")
	lockFamily  = attribute.Key("pglockdep.lock.family")
	lockScope   = attribute.Key("pglockdep.lock.scope")
	lockMode    = attribute.Key("pglockdep.lock.mode")
	lockOutcome = attribute.Key("pglockdep.lock.outcome")
	lockCount   = attribute.Key("pglockdep.lock.count")
	lockID      = attribute.Key("pglockdep.lock.id")
)

type observer struct {
	cfg     Config
	tracer  trace.Tracer
	attempt metric.Float64Histogram
	hold    metric.Float64Histogram
	active  metric.Int64UpDownCounter
	count   map[locks.EventKind]metric.Int64Counter
}

// bounds are those of db.client.operation.duration, with longer waits.
var bounds = metric.WithExplicitBucketBoundaries(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60)

// New returns an observer for locks.Config. It fails when the meter refuses
// an instrument.
func New(cfg Config) (locks.Observer, error) {
	if cfg.Meters == nil {
		cfg.Meters = otel.GetMeterProvider()
	}
	if cfg.Tracers == nil {
		cfg.Tracers = otel.GetTracerProvider()
	}
	o := &observer{cfg: cfg, tracer: cfg.Tracers.Tracer(scope), count: map[locks.EventKind]metric.Int64Counter{}}
	m := cfg.Meters.Meter(scope)
	var errs [3]error
	o.attempt, errs[0] = m.Float64Histogram("pglockdep.lock.attempt.duration", metric.WithUnit("s"), metric.WithDescription("Time until an attempt was decided"), bounds)
	o.hold, errs[1] = m.Float64Histogram("pglockdep.lock.hold.duration", metric.WithUnit("s"), metric.WithDescription("Time for which a session lock was held"), bounds)
	o.active, errs[2] = m.Int64UpDownCounter("pglockdep.lock.sessions.active", metric.WithUnit("{lock}"), metric.WithDescription("Session locks that are held"))
	for kind, name := range map[locks.EventKind]string{
		locks.Lost: "sessions.lost", locks.ReleaseFailed: "release.failures", locks.Destroyed: "connections.destroyed",
		locks.OutOfOrder: "order.violations", locks.Fenced: "fence.rejections",
	} {
		c, err := m.Int64Counter("pglockdep.lock." + name)
		if err != nil {
			return nil, err
		}
		o.count[kind] = c
	}
	return o, errors.Join(errs[:]...)
}

func (o *observer) attributes(family string, s locks.Scope, m locks.Mode) []attribute.KeyValue {
	out := []attribute.KeyValue{dbSystem.String("postgresql"), lockFamily.String(family), lockScope.String(s.String()), lockMode.String(m.String())}
	if o.cfg.Database != "" {
		out = append(out, dbNamespace.String(o.cfg.Database))
	}
	return out
}

func (o *observer) Begin(ctx context.Context, a locks.Attempt) context.Context {
	attrs := append(o.attributes(a.Family(), a.Scope, a.Mode), lockCount.Int(a.Count))
	if o.cfg.IDsInSpans {
		attrs = append(attrs, lockID.String(a.Key.ID()))
	}
	ctx, _ = o.tracer.Start(ctx, "lock "+a.Family(), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	return ctx
}

func (o *observer) End(ctx context.Context, a locks.Attempt, r locks.Result) {
	span := trace.SpanFromContext(ctx)
	ended := []attribute.KeyValue{lockOutcome.String(string(r.Outcome))}
	if r.Err != nil {
		kind := string(r.Outcome)
		var server interface{ SQLState() string }
		if errors.As(r.Err, &server) {
			kind = server.SQLState()
			ended = append(ended, dbStatus.String(kind))
		}
		ended = append(ended, errorType.String(kind))
		span.SetStatus(codes.Error, kind)
	}
	span.SetAttributes(ended...)
	span.End()
	attrs := append(o.attributes(a.Family(), a.Scope, a.Mode), ended...)
	o.attempt.Record(ctx, r.Took.Seconds(), metric.WithAttributes(attrs...))
}

func (o *observer) Event(ctx context.Context, e locks.Event) {
	set := metric.WithAttributes(o.attributes(e.Family(), e.Scope, e.Mode)...)
	switch e.Kind {
	case locks.Opened:
		o.active.Add(ctx, 1, set)
	case locks.Released, locks.Lost:
		o.active.Add(ctx, -1, set)
		o.hold.Record(ctx, e.Held.Seconds(), set)
	}
	if c, ok := o.count[e.Kind]; ok {
		c.Add(ctx, 1, set)
	}
	if e.Kind.Warning() {
		trace.SpanFromContext(ctx).AddEvent("lock "+string(e.Kind), trace.WithAttributes(lockFamily.String(e.Family())))
	}
}
