package locktest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// A lockID is what a lock is of: an advisory key, or a row of a table.
type lockID struct {
	key   pin.Key
	table string
	row   string
}

func keyID(k pin.Key) lockID   { return lockID{key: k} }
func fenceID(k pin.Key) lockID { return lockID{key: k, table: "fence"} }

func (id lockID) String() string {
	switch {
	case id.row != "":
		return fmt.Sprintf("row %s of %s", id.row, id.table)
	case id.table != "":
		return fmt.Sprintf("the fence of %d", id.key.Num)
	case id.key.Pair:
		return fmt.Sprintf("key (%d, %d)", int32(id.key.Num>>32), int32(id.key.Num))
	}
	return fmt.Sprintf("key %d", id.key.Num)
}

// A want is a lock that is asked for.
type want struct {
	id   lockID
	mode locks.Mode
}

// session is the depth of what the end of a transaction does not free.
const session = -1

// A hold is a lock that is granted.
type hold struct {
	want
	conn  *fakeConn
	depth int // of savepoints when it was taken; session
}

// A lockTable is what is granted and who waits. It is guarded by its server.
type lockTable struct {
	held    map[lockID][]*hold
	waits   map[*fakeConn]want
	changed chan struct{} // closed when something is freed
}

func newLockTable() lockTable {
	return lockTable{held: map[lockID][]*hold{}, waits: map[*fakeConn]want{}, changed: make(chan struct{})}
}

// blockers are the sessions that hold what w conflicts with.
func (t *lockTable) blockers(c *fakeConn, w want) (out []*fakeConn) {
	for _, h := range t.held[w.id] {
		if h.conn != c && w.mode.Conflicts(h.mode) {
			out = append(out, h.conn)
		}
	}
	return out
}

// try grants w to c if nobody is in the way.
func (t *lockTable) try(c *fakeConn, w want, depth int) bool {
	if len(t.blockers(c, w)) > 0 {
		return false
	}
	t.held[w.id] = append(t.held[w.id], &hold{w, c, depth})
	return true
}

func (t *lockTable) holds(c *fakeConn, id lockID) bool {
	return slices.ContainsFunc(t.held[id], func(h *hold) bool { return h.conn == c && h.depth == session })
}

func (t *lockTable) drop(which func(*hold) bool) {
	for id, hs := range t.held {
		if hs = slices.DeleteFunc(hs, which); len(hs) == 0 {
			delete(t.held, id)
		} else {
			t.held[id] = hs
		}
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// deadlocked reports whether c waits for itself through others.
func (t *lockTable) deadlocked(c *fakeConn) bool {
	seen := map[*fakeConn]bool{}
	var search func(*fakeConn) bool
	search = func(at *fakeConn) bool {
		w, waits := t.waits[at]
		if !waits || seen[at] {
			return false
		}
		seen[at] = true
		return slices.ContainsFunc(t.blockers(at, w), func(b *fakeConn) bool { return b == c || search(b) })
	}
	return search(c)
}

// wait grants w to c, waiting at most limit, without end when that is 0. It
// fails as the server and pgx do: with 55P03 at the limit, 40P01 at once in a
// deadlock; a context that ends closes the session.
func (c *fakeConn) wait(ctx context.Context, w want, depth int, limit time.Duration) error {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	for {
		changed, err := c.queue(ctx, w, depth)
		if changed == nil {
			return err
		}
		select {
		case <-changed:
			continue
		case <-over:
			err = &pgconn.PgError{Severity: "ERROR", Code: "55P03", Message: "canceling statement due to lock timeout"}
		case <-c.dead:
			err = errKilled
		case <-ctx.Done():
			err = ctx.Err()
		}
		f, unlock := c.lock()
		delete(f.table.waits, c)
		if ctx.Err() != nil {
			c.kill()
		}
		unlock()
		return err
	}
}

// queue grants w, or returns what to wait for.
func (c *fakeConn) queue(ctx context.Context, w want, depth int) (changed <-chan struct{}, err error) {
	f, unlock := c.lock()
	defer unlock()
	delete(f.table.waits, c)
	switch {
	case c.over:
		return nil, errKilled
	case f.table.try(c, w, depth):
		return nil, nil
	case ctx.Err() != nil:
		c.kill()
		return nil, ctx.Err()
	}
	f.table.waits[c] = w
	if f.table.deadlocked(c) {
		delete(f.table.waits, c)
		return nil, &pgconn.PgError{Severity: "ERROR", Code: "40P01", Message: "deadlock detected"}
	}
	return f.table.changed, nil
}
