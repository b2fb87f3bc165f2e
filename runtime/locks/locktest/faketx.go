package locktest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
)

// A Querier answers the statements of the program under test that are no
// locks: a fake of its tables, or a connection to a server.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Answer has q answer the statements of all transactions of the server.
// Without it, they fail.
func (f *Server) Answer(q Querier) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers = q
}

var errNoTables = errors.New("locktest: the fake has no tables; have somebody answer its statements, with Server.Answer")

// Begin begins a transaction in a session of its own, for the functions of
// package locks; the server is a locks.Beginner.
//
// Locks are those of the transaction and end with it; a savepoint is a
// transaction begun on it. A deadlock is found at once. A statement that
// fails with an error of the server (it has a method SQLState) aborts the
// transaction, which frees its locks at once. A call whose context has ended ends the session.
func (f *Server) Begin(ctx context.Context) (pgx.Tx, error) {
	c, err := (&fakeSource{server: f}).Conn(ctx)
	if err != nil {
		return nil, err
	}
	own := c.(*fakeConn)
	return own.begin(true), nil
}

// BeginTx is what Session.BeginTx calls.
func (c *fakeConn) BeginTx(ctx context.Context, _ pgx.TxOptions) (pgx.Tx, error) {
	if err := c.answer(ctx); err != nil {
		return nil, err
	}
	if c.Closed() {
		return nil, errKilled
	}
	return c.begin(false), nil
}

func (c *fakeConn) begin(own bool) *Tx {
	_, unlock := c.lock()
	defer unlock()
	c.tx = txState{open: true}
	return &Tx{c: c, own: own}
}

// A txState is the transaction of a session; it is guarded by the server.
type txState struct {
	open    bool
	aborted bool
	depth   int           // of savepoints
	bound   time.Duration // lock_timeout; 0 for none
	before  time.Duration // what it was before the bounded wait
}

// A Tx is a transaction of a Server, or a savepoint in one. It is what pgx.Tx
// says, but for Conn, which returns nil.
type Tx struct {
	rest
	c     *fakeConn
	own   bool // the session ends with the transaction
	depth int
	done  bool
}

// The methods that later versions of pgx may give a transaction.
type (
	rest        interface{ pgx.Tx }
	restResults interface{ pgx.BatchResults }
)

// Sealed makes a Tx one that package locks takes.
func (t *Tx) Sealed(driver.Sealed) {}

// State says what package locks asks before it sends anything.
func (t *Tx) State() driver.State {
	if t == nil {
		return driver.NoTx
	}
	_, unlock := t.c.lock()
	defer unlock()
	switch {
	case t.closed():
		return driver.NoTx
	case t.c.tx.aborted:
		return driver.Aborted
	case t.depth > 0:
		return driver.Nested
	}
	return driver.Open
}

// closed is asked with the server locked.
func (t *Tx) closed() bool {
	return t.done || t.c.over || !t.c.tx.open || t.depth > t.c.tx.depth
}

// Holding is for package locks.
func (t *Tx) Holding(make func() driver.Holding) driver.Holding {
	h := t.c.Holding(make)
	h.Enter(t, func(earlier any) bool {
		_, unlock := t.c.lock()
		defer unlock()
		return earlier.(*Tx).closed()
	})
	return h
}

// Kill ends the session of the transaction, as pg_terminate_backend does.
func (t *Tx) Kill() {
	_, unlock := t.c.lock()
	defer unlock()
	t.c.kill()
}

// ready says why nothing can be sent, or counts as sent.
func (t *Tx) ready(ctx context.Context, aborted bool) error {
	if err := t.c.answer(ctx); err != nil {
		t.Kill() // pgx closes the connection
		return err
	}
	_, unlock := t.c.lock()
	defer unlock()
	switch {
	case t.c.over:
		return errKilled
	case t.closed():
		return pgx.ErrTxClosed
	case t.c.tx.aborted && !aborted:
		return errAborted
	}
	return nil
}

var errAborted = &pgconn.PgError{Severity: "ERROR", Code: "25P02", Message: "current transaction is aborted, commands ignored until end of transaction block"}

// failed aborts the transaction when err is the server's. What was locked
// since the last savepoint is free from then on, as on the server.
func (t *Tx) failed(err error) error {
	var server interface{ SQLState() string }
	if errors.As(err, &server) {
		f, unlock := t.c.lock()
		defer unlock()
		f.table.drop(func(h *hold) bool { return h.conn == t.c && h.depth >= t.c.tx.depth })
		t.c.tx.aborted = true
	}
	return err
}

// Begin begins a savepoint.
func (t *Tx) Begin(ctx context.Context) (pgx.Tx, error) {
	if err := t.ready(ctx, false); err != nil {
		return nil, err
	}
	_, unlock := t.c.lock()
	defer unlock()
	t.c.tx.depth++
	return &Tx{c: t.c, depth: t.c.tx.depth}, nil
}

// Commit ends the transaction, or releases the savepoint.
func (t *Tx) Commit(ctx context.Context) error {
	if err := t.ready(ctx, t.depth == 0); err != nil {
		return err
	}
	f, unlock := t.c.lock()
	defer unlock()
	t.done = true
	if t.depth > 0 {
		t.c.release(t.depth)
		return nil
	}
	aborted := t.c.tx.aborted
	t.end(f)
	if aborted {
		return pgx.ErrTxCommitRollback
	}
	return nil
}

// Rollback ends the transaction, or goes back to the savepoint: what was
// locked since is free.
func (t *Tx) Rollback(ctx context.Context) error {
	if err := t.ready(ctx, true); err != nil {
		return err
	}
	f, unlock := t.c.lock()
	defer unlock()
	t.done = true
	if t.depth > 0 {
		t.c.back(f, t.depth) // pgx leaves the savepoint there
		return nil
	}
	t.end(f)
	return nil
}

// end is called with the server locked.
func (t *Tx) end(f *Server) {
	f.table.drop(func(h *hold) bool { return h.conn == t.c && h.depth != session })
	t.c.tx = txState{}
	if t.own {
		delete(f.conns, t.c)
	}
}

// back frees what was locked since a savepoint; the server is locked.
func (c *fakeConn) back(f *Server, depth int) {
	f.table.drop(func(h *hold) bool { return h.conn == c && h.depth >= depth })
	c.tx.aborted, c.tx.depth = false, depth
}

// release has what was locked since a savepoint belong to the level above;
// the server is locked.
func (c *fakeConn) release(depth int) {
	c.tx.depth = depth - 1
	for _, hs := range c.source.server.table.held {
		for _, h := range hs {
			if h.conn == c && h.depth >= depth {
				h.depth = depth - 1
			}
		}
	}
}

// answerer returns who answers a statement of the program.
func (t *Tx) answerer(ctx context.Context) (Querier, error) {
	if err := t.ready(ctx, false); err != nil {
		return nil, err
	}
	f, unlock := t.c.lock()
	defer unlock()
	if f.answers == nil {
		return nil, errNoTables
	}
	return f.answers, nil
}

// Exec asks the Querier of Answer.
func (t *Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	q, err := t.answerer(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := q.Exec(ctx, sql, args...)
	return tag, t.failed(err)
}

// Query asks the Querier of Answer.
func (t *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	q, err := t.answerer(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := q.Query(ctx, sql, args...)
	return rows, t.failed(err)
}

// QueryRow asks the Querier of Answer.
func (t *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	q, err := t.answerer(ctx)
	if err != nil {
		return fakeRow{t: t, err: err}
	}
	return fakeRow{t: t, row: q.QueryRow(ctx, sql, args...)}
}

type fakeRow struct {
	t   *Tx
	row pgx.Row
	err error
}

func (r fakeRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	return r.t.failed(r.row.Scan(dest...))
}

// SendBatch asks the Querier of Answer when it can send batches.
func (t *Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	q, err := t.answerer(ctx)
	s, ok := q.(interface {
		SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
	})
	if err == nil && !ok {
		err = fmt.Errorf("locktest: %T sends no batches", q)
	}
	if err != nil {
		return noResults{err: err}
	}
	return s.SendBatch(ctx, b)
}

// noResults is a batch that failed.
type noResults struct {
	restResults
	err error
}

func (r noResults) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, r.err }
func (r noResults) Query() (pgx.Rows, error)         { return nil, r.err }
func (r noResults) QueryRow() pgx.Row                { return fakeRow{err: r.err} }
func (r noResults) Close() error                     { return r.err }
func (r noResults) Tx() pgx.Tx                       { return nil }

// CopyFrom fails: the fake has no tables.
func (t *Tx) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, errNoTables
}

// Prepare fails: the fake has no statements.
func (t *Tx) Prepare(ctx context.Context, _, _ string) (*pgconn.StatementDescription, error) {
	if err := t.ready(ctx, false); err != nil {
		return nil, err
	}
	return nil, errNoTables
}

// LargeObjects returns what cannot be used: the fake has none.
func (t *Tx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn returns nil.
func (t *Tx) Conn() *pgx.Conn { return nil }

func milliseconds(v any) time.Duration {
	n, _ := strconv.Atoi(fmt.Sprint(v)) // as package locks writes it
	return time.Duration(n) * time.Millisecond
}
