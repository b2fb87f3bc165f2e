package locks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// SessionConfig says where session locks live and when they are given up.
// The zero value of each duration stands for its default.
type SessionConfig struct {
	// DSN or Pool says how to connect; exactly one is set. Of Pool only the
	// configuration is used: the connections are new ones that serve locks
	// alone, at most MaxConns of it, and each held lock takes one. Behind a
	// pooler in transaction mode, name the server itself here.
	DSN  string
	Pool *pgxpool.Config

	// Heartbeat is the time between two round trips on an idle lock
	// connection, 2 s.
	Heartbeat time.Duration
	// Trust is how long a lock is believed in after the beginning of the last
	// round trip that the server answered, three heartbeats. After it the lock
	// counts as lost.
	Trust time.Duration
	// ServerTimeout is after how long the server gives up a client that does
	// not answer, twice Trust rounded up to seconds. It is longer than Trust,
	// so that the old owner stops before another can start.
	ServerTimeout time.Duration
	// ReleaseTimeout bounds an unlock, and the wait for the server's end of a
	// destroyed connection, 3 s.
	ReleaseTimeout time.Duration
	// ConnTimeout bounds the wait of TryAcquire for a free lock connection,
	// 5 s; Acquire waits for one as long as for the lock.
	ConnTimeout time.Duration
	// PollMin and PollMax are the shortest and the longest mean time between
	// two attempts of Acquire, 10 ms and 250 ms.
	PollMin, PollMax time.Duration

	// OneUse has a connection serve one lock and end with it, for work on it
	// that leaves something in its session: settings, temporary tables.
	OneUse bool

	// FenceTable is a table made by FenceDDL. When it is named, each lock
	// draws a token from it; see Session.Fence.
	FenceTable string
	// Owner is written to the fence table; it is the program's name, the host
	// and the process id when empty.
	Owner string
}

func (c SessionConfig) withDefaults() (SessionConfig, error) {
	c.Heartbeat = cmp.Or(c.Heartbeat, 2*time.Second)
	c.Trust = cmp.Or(c.Trust, 3*c.Heartbeat)
	c.ServerTimeout = cmp.Or(c.ServerTimeout, (2*c.Trust + time.Second - 1).Truncate(time.Second))
	c.ReleaseTimeout = cmp.Or(c.ReleaseTimeout, 3*time.Second)
	c.ConnTimeout = cmp.Or(c.ConnTimeout, 5*time.Second)
	c.PollMin = cmp.Or(c.PollMin, 10*time.Millisecond)
	c.PollMax = cmp.Or(c.PollMax, 250*time.Millisecond)
	if c.Owner == "" {
		host, _ := os.Hostname()
		c.Owner = fmt.Sprintf("%s@%s:%d", filepath.Base(os.Args[0]), host, os.Getpid())
	}
	switch {
	case c.Heartbeat < 0 || c.Trust < 0 || c.ReleaseTimeout < 0 || c.ConnTimeout < 0 || c.PollMin < 0:
		return c, errors.New("locks: a duration of SessionConfig is negative")
	case c.Trust <= c.Heartbeat:
		return c, fmt.Errorf("locks: Trust (%v) must be longer than Heartbeat (%v), or every lock is lost between two", c.Trust, c.Heartbeat)
	case c.ServerTimeout <= c.Trust:
		return c, fmt.Errorf("locks: ServerTimeout (%v) must be longer than Trust (%v), or the server frees a lock that is still believed in", c.ServerTimeout, c.Trust)
	case c.FenceTable != "" && strings.Count(c.FenceTable, ".") > 1:
		return c, fmt.Errorf("locks: FenceTable %q: a table, or a schema and a table", c.FenceTable)
	case c.PollMax < c.PollMin:
		return c, fmt.Errorf("locks: PollMax (%v) is shorter than PollMin (%v)", c.PollMax, c.PollMin)
	}
	return c, nil
}

// Sessions takes locks that live on a database session of their own. It is
// safe for concurrent use.
type Sessions struct {
	locker *Locker
	cfg    SessionConfig
	source pin.Source
	lines  lines
	env    Environment
}

// OpenSessions connects, finds out what stands between this program and the
// server, and returns the door to session locks. It refuses a pooler that
// changes the session between two statements (ErrPooled) and a server in
// recovery (ErrReadOnly): on both, a session lock excludes nobody.
func (l *Locker) OpenSessions(ctx context.Context, cfg SessionConfig) (*Sessions, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	source, env, err := openSource(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Sessions{locker: l, cfg: cfg, source: source, env: env}, nil
}

// SessionsOn returns session locks on connections of another driver. It is
// for the packages below this one; programs call OpenSessions.
func (l *Locker) SessionsOn(source pin.Source, cfg SessionConfig) (*Sessions, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Sessions{locker: l, cfg: cfg, source: source}, nil
}

// Close ends the free lock connections, and waits until each lock that is
// held has been released.
func (m *Sessions) Close() { m.source.Close() }

// Environment tells what OpenSessions found.
func (m *Sessions) Environment() Environment { return m.env }

// Waiting returns how many callers of Acquire wait for k in this program.
func (m *Sessions) Waiting(k Key) int { return m.lines.length(pinKey(k)) }

// TryAcquire takes k if nobody holds it, and reports whether it did.
func (m *Sessions) TryAcquire(ctx context.Context, k Key) (*Session, bool, error) {
	return m.acquire(ctx, k, 0)
}

// Acquire takes k and reports whether it did; when somebody else holds it, it
// tries again and again for at most wait. It never waits inside the server,
// where a wait that has been given up can still be granted. After an error
// the lock is not held: where the server's answer is missing, the connection
// is destroyed and its end awaited.
//
// While it waits it holds neither a connection nor a place in the server, so
// Config.MaxWait does not bound it. Callers of one Sessions that wait for one key have it in the order they
// came.
func (m *Sessions) Acquire(ctx context.Context, k Key, wait time.Duration) (*Session, bool, error) {
	if wait <= 0 {
		return nil, false, failed("acquiring", k, fmt.Errorf("%w: %v; TryAcquire does not wait", ErrWait, wait))
	}
	return m.acquire(ctx, k, wait)
}

// Do calls fn while it holds k, which it waits for as Acquire does, or tries
// once when wait is 0; it reports whether fn was called. The context of fn
// ends when the lock is lost, with ErrLost in its cause. The lock is released
// when fn returns, panics or calls runtime.Goexit; a panic goes on its way.
// The error is what fn returned, joined with the reason when the lock was
// lost before the end or its release failed.
func (m *Sessions) Do(ctx context.Context, k Key, wait time.Duration, fn func(context.Context, *Session) error) (ran bool, err error) {
	var s *Session
	if wait == 0 {
		s, ran, err = m.TryAcquire(ctx, k)
	} else {
		s, ran, err = m.Acquire(ctx, k, wait)
	}
	if !ran {
		return false, err
	}
	defer func() {
		err = errors.Join(err, s.Release(ctx))
	}()
	ctx, cancel := context.WithCancelCause(s.mark(ctx))
	defer cancel(ErrReleased)
	stop := context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	defer stop()
	return true, fn(ctx, s)
}

func (m *Sessions) acquire(ctx context.Context, k Key, wait time.Duration) (*Session, bool, error) {
	if err := k.Err(); err != nil {
		return nil, false, failed("acquiring", k, err)
	}
	if heldIn(ctx, m, k) {
		return nil, false, failed("acquiring", k, fmt.Errorf("%w: its context was handed down to this call", ErrReentrant))
	}
	if wait > 0 && m.locker.track != nil {
		if err := m.locker.track.want(ctx, nil, k, Exclusive); err != nil {
			return nil, false, err
		}
	}
	a := Attempt{Key: k, Count: 1, Scope: SessionScope, Mode: Exclusive, Wait: wait}
	ctx, begun := m.locker.begin(ctx, a)
	s, err := m.attempt(ctx, k, wait)
	m.locker.end(ctx, a, begun, s != nil, err)
	return s, s != nil, failed("acquiring", k, err)
}

// attempt waits in this program's line for k, then asks the server. It
// returns nil, nil when somebody else has the lock.
func (m *Sessions) attempt(ctx context.Context, k Key, wait time.Duration) (*Session, error) {
	if wait == 0 {
		return m.once(ctx, k, m.cfg.ConnTimeout)
	}
	end := time.Now().Add(wait)
	place := m.lines.join(pinKey(k))
	defer place.leave()
	limit := time.NewTimer(wait)
	defer limit.Stop()
	select {
	case <-place.first:
	case <-limit.C:
		return nil, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	refused := false
	for pause := m.cfg.PollMin; ; pause = min(pause*3/2, m.cfg.PollMax) {
		left := max(time.Until(end), 0)
		s, err := m.once(ctx, k, max(left, m.cfg.PollMin))
		switch {
		case refused && errors.Is(err, ErrNoConn):
			return nil, nil // the wait is over, and the last answer was no
		case s != nil || err != nil || left == 0:
			return s, err
		}
		refused = true
		next := time.NewTimer(min(jitter(pause), left))
		select {
		case <-next.C:
		case <-place.poked:
			pause = m.cfg.PollMin
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		next.Stop()
		if err != nil {
			return nil, err
		}
	}
}

func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d+1)
}

// once takes a connection and tries k on it. A connection may have died in
// the pool: then another is taken, once.
func (m *Sessions) once(ctx context.Context, k Key, connWait time.Duration) (*Session, error) {
	s, again, err := m.onOne(ctx, k, connWait)
	if again {
		s, _, err = m.onOne(ctx, k, connWait)
	}
	return s, err
}

func (m *Sessions) onOne(ctx context.Context, k Key, connWait time.Duration) (s *Session, again bool, err error) {
	connCtx, cancel := context.WithTimeout(ctx, connWait)
	conn, err := m.source.Conn(connCtx)
	cancel()
	if err != nil {
		return nil, false, explain(err)
	}
	asked := time.Now()
	ok, err := conn.Try(ctx, pinKey(k))
	if err != nil {
		ended := m.destroy(ctx, conn, k, err, false)
		return nil, ended && ctx.Err() == nil && broken(err), explain(err)
	}
	if !ok {
		conn.Put()
		return nil, false, nil
	}
	s = newSession(ctx, m, k, conn, asked)
	if m.cfg.FenceTable != "" {
		ticket, err := conn.Advance(ctx, m.cfg.FenceTable, pinKey(k), k.Family(), m.cfg.Owner)
		if err != nil {
			_ = s.finish(ErrReleased)
			m.destroy(ctx, conn, k, err, false)
			return nil, false, fmt.Errorf("drawing a token from %s: %w", m.cfg.FenceTable, explain(err))
		}
		s.fence = Fence{locker: m.locker, key: k, table: m.cfg.FenceTable, token: ticket.Token, epoch: ticket.Epoch}
	}
	s.start()
	return s, false, nil
}

// broken reports whether err is about the connection and not about what was
// asked: the driver's own errors, and those by which a server ends a session
// (PostgreSQL 16 manual, appendix A, classes 08 and 57P).
func broken(err error) bool {
	code := sqlState(err)
	return (code == "" || strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P")) &&
		!errors.Is(err, ErrReadOnly) && !errors.Is(err, pin.ErrMoved)
}

// destroy ends a connection in doubt, tells about it, and reports whether the
// server's side was seen to end.
func (m *Sessions) destroy(ctx context.Context, conn pin.Conn, k Key, why error, busy bool) bool {
	pid := conn.PID()
	ended := conn.Destroy(m.cfg.ReleaseTimeout, pinKey(k), busy)
	if !ended {
		why = fmt.Errorf("the server's end was not seen within %v: %w", m.cfg.ReleaseTimeout, why)
	}
	m.locker.event(context.WithoutCancel(ctx), Event{Kind: Destroyed, Key: k, Scope: SessionScope, Mode: Exclusive, PID: pid, Err: why})
	return ended
}

func pinKey(k Key) pin.Key { return pin.Key{Num: k.Int64(), Pair: k.Space() == PairSpace} }
