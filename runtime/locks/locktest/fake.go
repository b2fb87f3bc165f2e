package locktest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// A Server is a fake server that keeps locks in memory. Programs under test
// get Sessions on it, and transactions; it is safe for concurrent use.
type Server struct {
	mu      sync.Mutex
	pid     uint32
	conns   map[*fakeConn]bool
	table   lockTable
	tokens  map[pin.Key]int64
	epoch   int
	standby bool
	frozen  bool
	atGrant func()
	unlock  error
	lock    error
	answers Querier
}

// NewServer returns a server on which nothing is held.
func NewServer() *Server {
	return &Server{conns: map[*fakeConn]bool{}, table: newLockTable(), tokens: map[pin.Key]int64{}, epoch: 1}
}

// Sessions returns session locks on the server, as those of one program. At
// the end of the test it fails when one of them is still held.
func (f *Server) Sessions(t testing.TB, l *locks.Locker, cfg locks.SessionConfig) *locks.Sessions {
	t.Helper()
	cfg.FenceTable = "fake"
	source := &fakeSource{server: f}
	m, err := l.SessionsOn(source, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for id, hs := range f.table.held {
			for _, h := range hs {
				if h.conn.source == source {
					t.Errorf("locktest: %v is held at the end of the test", id)
				}
			}
		}
	})
	return m
}

// Holder returns the process that has k, one of them in share mode, 0 for
// nobody.
func (f *Server) Holder(k locks.Key) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.table.held[keyID(keyOf(k))] {
		return h.conn.pid
	}
	return 0
}

// Free fails the test when somebody holds one of the keys; without keys, when
// anything at all is held, rows too.
func (f *Server) Free(t testing.TB, keys ...locks.Key) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, hs := range f.table.held {
		if len(keys) == 0 || slices.ContainsFunc(keys, func(k locks.Key) bool { return keyID(keyOf(k)) == id }) {
			t.Errorf("locktest: %v is held by process %d", id, hs[0].conn.pid)
		}
	}
}

// Kill ends the session of a lock: the lock is free, and its owner is told.
func (f *Server) Kill(s *locks.Session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		if c.pid == s.PID() {
			c.kill()
		}
	}
}

// Restart ends all sessions.
func (f *Server) Restart() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		c.kill()
	}
}

// Promote does what a failover to a standby does: all sessions end, nothing
// is held, and no fence from before is valid.
func (f *Server) Promote() {
	f.Restart()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.standby = false
	f.epoch++
}

// Demote makes the server a standby, on which acquiring is refused.
func (f *Server) Demote() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.standby = true
}

// CancelAtGrant calls cancel when the next lock has been granted, and loses
// the answer if that ends the context of the call.
func (f *Server) CancelAtGrant(cancel func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.atGrant = cancel
}

// Freeze has the server answer nobody any more, as behind a cut wire: locks
// stay held, and their owners stop to believe in them after Trust.
func (f *Server) Freeze() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frozen = true
}

// Thaw ends Freeze, and the sessions that were given up meanwhile.
func (f *Server) Thaw() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frozen = false
	for c := range f.conns {
		if c.gone {
			c.kill()
		}
	}
}

// FailUnlock has the next unlock fail with err.
func (f *Server) FailUnlock(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unlock = err
}

// FailLock has the next lock of a transaction fail with err, as with a
// *pgconn.PgError of code 53200, and the transaction with it.
func (f *Server) FailLock(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lock = err
}

// Verify is Fence.Verify for code that has no transaction of the fake: it returns nil when no other owner has
// come, else an error that wraps locks.ErrFenced.
func (f *Server) Verify(k locks.Key, fence locks.Fence) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fence.Token() == 0 || fence.Token() != f.tokens[keyOf(k)] || fence.Epoch() != f.epochName() {
		return fmt.Errorf("%w: %v: token %d of %s", locks.ErrFenced, k, fence.Token(), fence.Epoch())
	}
	return nil
}

func (f *Server) epochName() string { return fmt.Sprintf("fake/%d", f.epoch) }

func keyOf(k locks.Key) pin.Key { return pin.Key{Num: k.Int64(), Pair: k.Space() == locks.PairSpace} }

type fakeSource struct{ server *Server }

func (s *fakeSource) Close() {}

func (s *fakeSource) Conn(ctx context.Context) (pin.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.server.connect(s), nil
}

func (f *Server) connect(s *fakeSource) *fakeConn {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pid++
	c := &fakeConn{source: s, pid: f.pid, dead: make(chan struct{})}
	f.conns[c] = true
	return c
}

// A fakeConn is one session. Its methods lock the server, but kill.
type fakeConn struct {
	source  *fakeSource
	pid     uint32
	dead    chan struct{}
	over    bool
	gone    bool // given up by its owner while the server was frozen
	holding driver.Holding
	tx      txState
}

var errKilled = &pgconn.PgError{Severity: "FATAL", Code: "57P01", Message: "terminating connection due to administrator command"}

// kill ends the session; the server is locked.
func (c *fakeConn) kill() {
	if c.over {
		return
	}
	c.over = true
	close(c.dead)
	delete(c.source.server.conns, c)
	c.source.server.table.drop(func(h *hold) bool { return h.conn == c })
}

func (c *fakeConn) lock() (*Server, func()) {
	c.source.server.mu.Lock()
	return c.source.server, c.source.server.mu.Unlock
}

func (c *fakeConn) PID() uint32 { return c.pid }

func (c *fakeConn) Try(ctx context.Context, k pin.Key) (bool, error) {
	if err := c.answer(ctx); err != nil {
		return false, err
	}
	granted, then, err := c.grant(k)
	if then != nil {
		then()
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	return granted, err
}

func (c *fakeConn) grant(k pin.Key) (granted bool, then func(), err error) {
	f, unlock := c.lock()
	defer unlock()
	switch {
	case c.over:
		return false, nil, errKilled
	case f.standby:
		return false, nil, pin.ErrReadOnly
	case !f.table.try(c, want{keyID(k), locks.Exclusive}, session):
		return false, nil, nil
	}
	then, f.atGrant = f.atGrant, nil
	return true, then, nil
}

func (c *fakeConn) Unlock(ctx context.Context, k pin.Key) (bool, error) {
	if err := c.answer(ctx); err != nil {
		return false, err
	}
	f, unlock := c.lock()
	defer unlock()
	if err := f.unlock; err != nil {
		f.unlock = nil
		return false, err
	}
	if c.over {
		return false, errKilled
	}
	held := f.table.holds(c, keyID(k))
	f.table.drop(func(h *hold) bool { return h.conn == c && h.depth == session })
	return held, nil
}

func (c *fakeConn) Holds(ctx context.Context, k pin.Key) (bool, error) {
	if err := c.answer(ctx); err != nil {
		return false, err
	}
	f, unlock := c.lock()
	defer unlock()
	if c.over {
		return false, errKilled
	}
	return f.table.holds(c, keyID(k)), nil
}

// Advance waits for transactions that have verified the last token.
func (c *fakeConn) Advance(ctx context.Context, _ string, k pin.Key, _, _ string) (pin.Ticket, error) {
	if err := c.wait(ctx, want{fenceID(k), locks.ForUpdate}, session, 0); err != nil {
		return pin.Ticket{}, err
	}
	f, unlock := c.lock()
	defer unlock()
	if c.over {
		return pin.Ticket{}, errKilled
	}
	f.table.drop(func(h *hold) bool { return h.conn == c && h.id == fenceID(k) })
	f.tokens[k] = max(f.tokens[k], int64(f.epoch)<<40) + 1
	return pin.Ticket{Token: f.tokens[k], Epoch: f.epochName()}, nil
}

func (c *fakeConn) Watch(ctx context.Context) error {
	select {
	case <-c.dead:
		return errKilled
	case <-ctx.Done():
		return nil
	}
}

func (c *fakeConn) Ping(ctx context.Context) error {
	if c.Closed() {
		return errKilled
	}
	return c.answer(ctx)
}

// answer waits for ctx to end while the server is frozen.
func (c *fakeConn) answer(ctx context.Context) error {
	f, unlock := c.lock()
	frozen := f.frozen
	unlock()
	if !frozen {
		return ctx.Err()
	}
	<-ctx.Done()
	return ctx.Err()
}

func (c *fakeConn) Closed() bool {
	_, unlock := c.lock()
	defer unlock()
	return c.over
}

func (c *fakeConn) Put() {
	f, unlock := c.lock()
	defer unlock()
	delete(f.conns, c)
}

func (c *fakeConn) Holding(make func() driver.Holding) driver.Holding {
	_, unlock := c.lock()
	defer unlock()
	if c.holding == nil {
		c.holding = make()
	}
	return c.holding
}

func (c *fakeConn) Destroy(time.Duration, pin.Key, bool) bool {
	f, unlock := c.lock()
	defer unlock()
	if f.frozen {
		c.gone = true
		return false
	}
	c.kill()
	return true
}
