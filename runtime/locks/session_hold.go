package locks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// A Session is one lock that is held, and the connection it lives on. Its
// methods may be called from any goroutine.
type Session struct {
	m     *Sessions
	key   Key
	conn  pin.Conn
	fence Fence
	since time.Time

	hold   *holding        // nil when no order is kept
	ctx    context.Context // ends with the lock
	cancel context.CancelCauseFunc
	lost   chan struct{}
	done   chan struct{} // the keeper has ended
	wake   chan struct{} // somebody asks for the connection
	cut    chan struct{} // the connection was destroyed under its user

	mu        sync.Mutex
	asks      []*ask // who wants the connection, in order
	interrupt func() // ends the keeper's watch
	user      *ask   // who has the connection
	over      error  // why nobody gets it any more
	confirmed time.Time
	ended     bool // the server's side of a destroyed connection was seen to end

	once     sync.Once
	released error
}

// An ask is a wish for the session's connection.
type ask struct {
	granted chan struct{} // closed when the connection is lent
	back    chan struct{} // closed when it comes back
	last    bool          // it does not come back
	tx      bool
	gone    bool // the asker has left
}

func newSession(ctx context.Context, m *Sessions, k Key, conn pin.Conn, asked time.Time) *Session {
	s := &Session{m: m, key: k, conn: conn, since: time.Now(), confirmed: asked, lost: make(chan struct{}), done: make(chan struct{}), cut: make(chan struct{}), wake: make(chan struct{}, 1)}
	if m.locker.track != nil {
		s.hold = holdingOf(conn)
		s.hold.add(grant{key: k, mode: Exclusive, scope: SessionScope, stack: callers()})
	}
	s.ctx, s.cancel = context.WithCancelCause(s.mark(context.WithoutCancel(ctx)))
	return s
}

func (s *Session) start() {
	s.event(Opened, nil)
	go s.keep()
}

// Key returns what is locked.
func (s *Session) Key() Key { return s.key }

// PID returns the server process that holds the lock.
func (s *Session) PID() uint32 { return s.conn.PID() }

// Since returns when the lock was granted, by this program's clock.
func (s *Session) Since() time.Time { return s.since }

// Context returns a context that ends with the lock. Its cause wraps ErrLost
// or is ErrReleased. It carries the values of the context that the lock was
// acquired with, not its end: a limit on the wait is none on the work.
func (s *Session) Context() context.Context { return s.ctx }

// Lost returns a channel that is closed when the lock is lost.
func (s *Session) Lost() <-chan struct{} { return s.lost }

// Fence returns the token of the lock; the zero Fence, which verifies
// nowhere, when the configuration names no fence table.
func (s *Session) Fence() Fence { return s.fence }

// Err returns nil while the lock is believed to be held, else why not: an
// error that wraps ErrLost, or ErrReleased. It asks nobody. A lock whose last
// answer from the server is older than Trust counts as lost, which a program
// that was stopped and goes on sees before the keeper does.
func (s *Session) Err() error {
	if err := context.Cause(s.ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if age := time.Since(s.confirmed); s.user == nil && age > s.m.cfg.Trust {
		return fmt.Errorf("%w: %v: no answer from the server for %v", ErrLost, s.key, age.Round(time.Millisecond))
	}
	return nil
}

// Check asks the server whether the lock is held and returns nil if so. It
// waits for a transaction of BeginTx to end first.
func (s *Session) Check(ctx context.Context) error {
	a, err := s.borrow(ctx, false)
	if err != nil {
		return err
	}
	defer s.giveBack(a)
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.m.cfg.Trust)
	defer cancel()
	held, err := s.conn.Holds(ctx, pinKey(s.key))
	switch {
	case err != nil:
		return s.lose(err)
	case !held:
		return s.lose(errors.New("the server does not list it"))
	}
	s.confirm(begun)
	return nil
}

// BeginTx begins a transaction on the connection that holds the lock: what
// it writes is committed only if the lock is still there, since both end with
// the connection. Until Commit or Rollback nothing else uses the connection,
// and a loss is noticed by the statements of the transaction. One transaction
// is open at a time; a second BeginTx waits for the first.
func (s *Session) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	conn, ok := s.conn.(interface {
		BeginTx(context.Context, pgx.TxOptions) (pgx.Tx, error)
	})
	if !ok {
		return nil, errors.New("locks: the lock's connection has no pgx transactions")
	}
	a, err := s.borrow(ctx, true)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, options)
	if err != nil {
		s.giveBack(a)
		return nil, fmt.Errorf("locks: beginning a transaction under %v: %w", s.key, err)
	}
	return &sessionTx{Tx: tx, s: s, end: sync.OnceFunc(func() { s.giveBack(a) })}, nil
}

// Use calls fn with the connection that holds the lock, for statements that
// no transaction may contain. It must not unlock, nor keep the connection.
// Everything that BeginTx says of its transaction holds until fn returns; a
// transaction that fn leaves open is rolled back, and told as an error.
func (s *Session) Use(ctx context.Context, fn func(*pgx.Conn) error) (err error) {
	c, ok := s.conn.(*pgxConn)
	if !ok {
		return errors.New("locks: the lock's connection is none of pgx")
	}
	a, err := s.borrow(ctx, true)
	if err != nil {
		return err
	}
	defer s.giveBack(a)
	defer func() { // after a panic too
		if c.conn.PgConn().TxStatus() != 'I' && !c.conn.IsClosed() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.m.cfg.ReleaseTimeout)
			defer cancel()
			_, rollback := c.conn.Exec(ctx, "ROLLBACK")
			err = errors.Join(err, errors.New("locks: a transaction was left open"), rollback)
		}
		s.prove()
	}()
	return fn(c.conn)
}

// prove makes a heartbeat on a borrowed connection that had none for long; a
// failure closes the connection, which the keeper sees.
func (s *Session) prove() {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), s.m.cfg.Trust)
	defer cancel()
	if s.conn.Ping(ctx) == nil {
		s.confirm(begun)
	}
}

// Lend hands the connection to an adapter of this module until back is
// called; with tx, what happens in between is a transaction. The adapter is
// done with the connection then, and a loss that it met is told.
func (s *Session) Lend(ctx context.Context, tx bool) (conn pin.Conn, back func(), err error) {
	a, err := s.borrow(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	return s.conn, sync.OnceFunc(func() {
		s.prove()
		s.giveBack(a)
	}), nil
}

// Holding is what an adapter's transaction on the lock's connection shares
// with the lock; nil when no order is kept.
func (s *Session) Holding() driver.Holding {
	if s.hold == nil {
		return nil
	}
	return s.hold
}

// A sessionTx gives the connection back at its end.
type sessionTx struct {
	pgx.Tx
	s   *Session
	end func()
}

func (t *sessionTx) Commit(ctx context.Context) error {
	defer t.end()
	defer t.answered(time.Now())
	return t.Tx.Commit(ctx)
}

func (t *sessionTx) Rollback(ctx context.Context) error {
	defer t.end()
	defer t.answered(time.Now())
	return t.Tx.Rollback(ctx)
}

// answered counts the end of the transaction as a heartbeat. There was none
// while it was open.
func (t *sessionTx) answered(begun time.Time) {
	if t.s.openTx() && !t.s.conn.Closed() {
		t.s.confirm(begun)
	}
}

// Release unlocks and gives the connection up. It runs on after ctx ends, for
// at most ReleaseTimeout. When the server does not confirm that the lock was
// held until now, or a transaction of BeginTx is still open, the connection
// is destroyed and the error is a *ReleaseError; one that wraps ErrLost says
// that a part of the work ran unguarded. Further calls wait for the first and
// return what it returned.
func (s *Session) Release(ctx context.Context) error {
	s.once.Do(func() { s.released = s.release(context.WithoutCancel(ctx)) })
	return s.released
}

func (s *Session) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.m.cfg.ReleaseTimeout)
	defer cancel()
	if s.openTx() {
		return s.abandon(ctx, errors.New("a transaction is still open on its connection"))
	}
	a, err := s.borrow(ctx, false)
	if errors.Is(err, ErrLost) {
		<-s.done
		return &ReleaseError{Key: s.key, Ended: s.ended, Err: err}
	}
	if err != nil {
		return s.abandon(ctx, err)
	}
	s.finish(ErrReleased)
	held, err := s.conn.Unlock(ctx, pinKey(s.key))
	if err == nil && held {
		if s.m.cfg.OneUse {
			s.conn.Destroy(s.m.cfg.ReleaseTimeout, pinKey(s.key), false)
		} else {
			s.conn.Put()
		}
		s.end(a)
		s.m.lines.poke(pinKey(s.key))
		s.event(Released, nil)
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: the server says that the session did not hold it", ErrLost)
	} else {
		err = explain(err)
	}
	s.ended = s.m.destroy(ctx, s.conn, s.key, err, false)
	s.end(a)
	return s.failed(err)
}

// abandon cuts a connection that somebody else may be using.
func (s *Session) abandon(ctx context.Context, why error) error {
	s.finish(ErrReleased)
	close(s.cut)
	s.ended = s.m.destroy(ctx, s.conn, s.key, why, true)
	return s.failed(why)
}

func (s *Session) failed(err error) error {
	s.m.lines.poke(pinKey(s.key))
	err = &ReleaseError{Key: s.key, Ended: s.ended, Err: err}
	s.event(ReleaseFailed, err)
	return err
}

func (s *Session) drop() {
	if s.hold != nil {
		s.hold.drop(s.key)
	}
}

func (s *Session) event(kind EventKind, err error) {
	held := time.Duration(0)
	if kind != Opened {
		held = time.Since(s.since)
	}
	s.m.locker.event(s.ctx, Event{Kind: kind, Key: s.key, Scope: SessionScope, Mode: Exclusive, Held: held, PID: s.PID(), Err: err})
}

// holdingOf returns what the session of conn holds.
func holdingOf(conn pin.Conn) *holding {
	if c, ok := conn.(interface {
		Holding(make func() driver.Holding) driver.Holding
	}); ok {
		return c.Holding(newHolding).(*holding) // as its transactions have it
	}
	return &holding{}
}

// mark returns ctx with the lock in it.
func (s *Session) mark(ctx context.Context) context.Context {
	if s.hold != nil {
		ctx = withHolding(ctx, s.hold)
	}
	return context.WithValue(ctx, sessionKey{}, &heldLock{s, heldLocks(ctx)})
}

type sessionKey struct{}

// A heldLock is a lock that a context carries, with those under it.
type heldLock struct {
	s    *Session
	next *heldLock
}

func heldLocks(ctx context.Context) *heldLock {
	h, _ := ctx.Value(sessionKey{}).(*heldLock)
	return h
}

// heldIn reports whether a session of m in ctx holds k.
func heldIn(ctx context.Context, m *Sessions, k Key) bool {
	for h := heldLocks(ctx); h != nil; h = h.next {
		if h.s.m == m && pinKey(h.s.key) == pinKey(k) && h.s.ctx.Err() == nil {
			return true
		}
	}
	return false
}
