package locks

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// A Config says how a Locker works. The zero Config is usable.
type Config struct {
	Order     *Order    // the declared order; nil: only what is observed counts
	OrderMode OrderMode // what to do with it; the zero mode is OrderOff

	MaxWait  time.Duration // longest wait a caller may ask for; 0: one minute
	Observer Observer      // nil: none
	Logger   *slog.Logger  // where warnings go; nil: slog.Default()

}

const defaultMaxWait = time.Minute

// A Locker takes locks. It is safe for concurrent use and holds nothing that
// needs closing unless session locks are used.
type Locker struct {
	cfg   Config
	track *tracker // nil when the order mode is off
}

// New returns a Locker. It fails when the configuration contradicts itself;
// it opens no connection.
func New(cfg Config) (*Locker, error) {
	if cfg.MaxWait < 0 || cfg.OrderMode > OrderPanic {
		return nil, fmt.Errorf("locks: invalid configuration: MaxWait %v, OrderMode %d", cfg.MaxWait, cfg.OrderMode)
	}
	if cfg.MaxWait == 0 {
		cfg.MaxWait = defaultMaxWait
	}
	l := &Locker{cfg: cfg}
	if cfg.OrderMode != OrderOff {
		l.track = newTracker(cfg.Order, cfg.OrderMode, l.event)
	}
	return l, nil
}

// begin and end bracket an attempt; both cost nothing without an observer.
func (l *Locker) begin(ctx context.Context, a Attempt) (context.Context, time.Time) {
	if l.cfg.Observer == nil {
		return ctx, time.Time{}
	}
	return l.cfg.Observer.Begin(ctx, a), time.Now()
}

func (l *Locker) end(ctx context.Context, a Attempt, start time.Time, granted bool, err error) {
	if l.cfg.Observer == nil {
		return
	}
	l.cfg.Observer.End(ctx, a, Result{Outcome: outcome(granted, a.Wait > 0, err), Took: time.Since(start), Err: err})
}

// event tells the observer, and the log when somebody should look at it.
func (l *Locker) event(ctx context.Context, e Event) {
	if l.cfg.Observer != nil {
		l.cfg.Observer.Event(ctx, e)
	}
	if !e.Kind.Warning() || e.Again {
		return
	}
	log := l.cfg.Logger
	if log == nil {
		log = slog.Default()
	}
	logEvent(ctx, log, slog.LevelWarn, e)
}

// failed names the call and the key in front of an error.
func failed(call string, k Key, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("locks: %s %s: %w", call, k, err)
}

func (l *Locker) bounded(wait time.Duration) error {
	switch {
	case wait <= 0:
		return fmt.Errorf("%w: %v; use a try for a lock that must not wait", ErrWait, wait)
	case wait > l.cfg.MaxWait:
		return fmt.Errorf("%w: %v is longer than Config.MaxWait, %v", ErrWait, wait, l.cfg.MaxWait)
	}
	return nil
}
