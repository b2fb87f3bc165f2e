package locks

import (
	"context"
	"log/slog"
	"time"
)

// A Scope is how long a lock is held.
type Scope uint8

// The scopes of locks.
const (
	TxScope      Scope = iota + 1 // until the transaction ends
	SessionScope                  // until it is released, or the session ends
)

func (s Scope) String() string {
	switch s {
	case TxScope:
		return "transaction"
	case SessionScope:
		return "session"
	}
	return "none"
}

// A Mode is the strength of a lock.
type Mode uint8

// The modes of advisory locks, and those of row locks by PostgreSQL's names.
const (
	Exclusive Mode = iota + 1
	Share
	ForKeyShare
	ForShare
	ForNoKeyUpdate
	ForUpdate
)

var modeNames = [...]string{"none", "exclusive", "shared", "FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"}

func (m Mode) String() string { return modeNames[m] }

// Conflicts reports whether a lock wanted in mode m waits for one held in
// mode o (PostgreSQL 16 manual, tables 13.2 and 13.3).
func (m Mode) Conflicts(o Mode) bool {
	switch {
	case m <= Share || o <= Share:
		return m != Share || o != Share
	case m == ForKeyShare || o == ForKeyShare:
		return max(m, o) == ForUpdate
	}
	return m != ForShare || o != ForShare
}

// An Attempt is one call that wants locks.
type Attempt struct {
	Key   Key // the first one of LockAll
	Count int // how many keys or rows
	Scope Scope
	Mode  Mode
	Wait  time.Duration // 0 for a try
}

// Family returns the family of the attempt: what metrics may use as a label.
func (a Attempt) Family() string { return a.Key.Family() }

// An Outcome is how an attempt ended.
type Outcome string

// The outcomes of attempts.
const (
	Acquired   Outcome = "acquired"
	Contended  Outcome = "contended" // a try: somebody else holds the lock
	TimedOut   Outcome = "timeout"   // a bounded wait ran out
	Deadlocked Outcome = "deadlock"
	Cancelled  Outcome = "cancelled" // by context or by pg_cancel_backend
	Failed     Outcome = "error"
)

// A Result is the end of an attempt.
type Result struct {
	Outcome Outcome
	Took    time.Duration
	Err     error
}

// An EventKind says what an Event is about.
type EventKind string

// The kinds of events.
const (
	Opened        EventKind = "opened"         // a session lock is held from now on
	Released      EventKind = "released"       // and no longer; Held tells how long it was
	Lost          EventKind = "lost"           // the session is gone while its owner still works
	ReleaseFailed EventKind = "release-failed" // the unlock was not confirmed
	Destroyed     EventKind = "destroyed"      // a connection in doubt was closed, not pooled
	Fenced        EventKind = "fenced"         // the write of an old owner was refused
	OutOfOrder    EventKind = "out-of-order"   // Err is an *OrderError
)

// Warning reports whether somebody should look at events of the kind.
func (k EventKind) Warning() bool { return k != Opened && k != Released }

// An Event is what happens to a lock between attempts.
type Event struct {
	Kind  EventKind
	Key   Key
	Scope Scope
	Mode  Mode
	Held  time.Duration // Released, Lost
	PID   uint32        // of the server process, 0 when unknown
	Err   error
	Again bool // OutOfOrder: these families were reported before; only the first goes to the Logger
}

// Family returns the family of the event: what metrics may use as a label.
func (e Event) Family() string { return e.Key.Family() }

// An Observer sees what a Locker does. Its methods are called by many
// goroutines, in the path of the lock: they must be quick. Ids of keys are
// for logs and spans, never for labels of metrics.
type Observer interface {
	// Begin is called before the first statement of an attempt, which runs
	// under the context that it returns.
	Begin(context.Context, Attempt) context.Context
	// End is called with that context once the attempt is decided.
	End(context.Context, Attempt, Result)
	Event(context.Context, Event)
}

// Observers joins several observers into one.
func Observers(list ...Observer) Observer { return observers(list) }

type observers []Observer

func (l observers) Begin(ctx context.Context, a Attempt) context.Context {
	for _, o := range l {
		ctx = o.Begin(ctx, a)
	}
	return ctx
}

func (l observers) End(ctx context.Context, a Attempt, r Result) {
	for i := len(l) - 1; i >= 0; i-- {
		l[i].End(ctx, a, r)
	}
}

func (l observers) Event(ctx context.Context, e Event) {
	for _, o := range l {
		o.Event(ctx, e)
	}
}

// SlogObserver logs attempts and events: what ended well at level debug, what
// somebody should look at as a warning. A Locker logs warnings to its Logger
// by itself; this observer is for seeing everything.
func SlogObserver(l *slog.Logger) Observer { return slogObserver{l} }

type slogObserver struct{ log *slog.Logger }

func (o slogObserver) Begin(ctx context.Context, _ Attempt) context.Context { return ctx }

func (o slogObserver) End(ctx context.Context, a Attempt, r Result) {
	level := slog.LevelDebug
	if r.Outcome == Deadlocked || r.Outcome == Failed {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.Any("key", a.Key), slog.String("scope", a.Scope.String()), slog.String("mode", a.Mode.String()),
		slog.Int("count", a.Count), slog.Duration("wait", a.Wait), slog.String("outcome", string(r.Outcome)), slog.Duration("took", r.Took)}
	if r.Err != nil {
		attrs = append(attrs, slog.Any("err", r.Err))
	}
	o.log.LogAttrs(ctx, level, "lock attempt", attrs...)
}

func (o slogObserver) Event(ctx context.Context, e Event) {
	level := slog.LevelDebug
	if e.Kind.Warning() {
		level = slog.LevelWarn
	}
	logEvent(ctx, o.log, level, e)
}

func logEvent(ctx context.Context, l *slog.Logger, level slog.Level, e Event) {
	attrs := []slog.Attr{slog.Any("key", e.Key), slog.String("scope", e.Scope.String()), slog.Uint64("pid", uint64(e.PID))}
	if e.Held > 0 {
		attrs = append(attrs, slog.Duration("held", e.Held))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.Any("err", e.Err))
	}
	l.LogAttrs(ctx, level, "lock "+string(e.Kind), attrs...)
}
