// Package locksprom shows Prometheus what a locks.Locker does.
//
// Attempts and events of a Locker enter, as its Observer; metrics leave, as a
// prometheus.Collector. Labels are family, scope, mode and outcome, never the
// id of a key. The package registers nothing and serves nothing by itself.
//
//	pglockdep_lock_attempt_duration_seconds   family, scope, mode, outcome
//	pglockdep_lock_hold_duration_seconds      family, scope, mode; session locks
//	pglockdep_lock_sessions_active            family, scope, mode
//	pglockdep_lock_events_total               family, event: lost, release-failed, destroyed, out-of-order, fenced
package locksprom

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// A Collector is both: give it to locks.Config as its Observer, and register
// it with a prometheus.Registerer.
type Collector struct {
	attempt *prometheus.HistogramVec
	hold    *prometheus.HistogramVec
	active  *prometheus.GaugeVec
	events  *prometheus.CounterVec
}

var (
	_ locks.Observer       = (*Collector)(nil)
	_ prometheus.Collector = (*Collector)(nil)
)

// New returns a collector. The labels are put on all its metrics.
func New(labels prometheus.Labels) *Collector {
	buckets := []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60}
	held := []string{"family", "scope", "mode"}
	return &Collector{
		attempt: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "pglockdep_lock_attempt_duration_seconds",
			Help: "Time until an attempt was decided.", Buckets: buckets, ConstLabels: labels}, append(held[:3:3], "outcome")),
		hold: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "pglockdep_lock_hold_duration_seconds",
			Help: "Time for which a session lock was held.", Buckets: buckets, ConstLabels: labels}, held),
		active: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pglockdep_lock_sessions_active",
			Help: "Session locks that are held.", ConstLabels: labels}, held),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pglockdep_lock_events_total",
			Help: "What somebody should look at.", ConstLabels: labels}, []string{"family", "event"}),
	}
}

// Describe is of prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range c.all() {
		m.Describe(ch)
	}
}

// Collect is of prometheus.Collector.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	for _, m := range c.all() {
		m.Collect(ch)
	}
}

func (c *Collector) all() []prometheus.Collector {
	return []prometheus.Collector{c.attempt, c.hold, c.active, c.events}
}

// Begin is of locks.Observer.
func (c *Collector) Begin(ctx context.Context, _ locks.Attempt) context.Context { return ctx }

// End is of locks.Observer.
func (c *Collector) End(_ context.Context, a locks.Attempt, r locks.Result) {
	c.attempt.WithLabelValues(a.Family(), a.Scope.String(), a.Mode.String(), string(r.Outcome)).Observe(r.Took.Seconds())
}

// Event is of locks.Observer.
func (c *Collector) Event(_ context.Context, e locks.Event) {
	held := []string{e.Family(), e.Scope.String(), e.Mode.String()}
	switch e.Kind {
	case locks.Opened:
		c.active.WithLabelValues(held...).Inc()
	case locks.Released, locks.Lost:
		c.active.WithLabelValues(held...).Dec()
		c.hold.WithLabelValues(held...).Observe(e.Held.Seconds())
	}
	if e.Kind.Warning() {
		c.events.WithLabelValues(e.Family(), string(e.Kind)).Inc()
	}
}
