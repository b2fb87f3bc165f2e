package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

// Each row does what programs and lock packages do without a library for it,
// and fails when that does no harm: then it would test nothing. After it the
// library meets the same.
var leaks = []fault{
	{group: "What goes wrong without it", name: "lock_timeout at the grant", must: "bare: an error, and the lock is held; here: a no, and it is not", run: stoppedAtGrant(nil)},
	{name: "a cancel request at the grant", must: "bare: an error, and the lock is held; here: an error, and it is not", run: stoppedAtGrant(cancelRequests)},
	{name: "a wait that was given up goes on", must: "bare: granted to nobody later; here: free", run: abandonedWait},
	{name: "given back to the pool without an unlock", must: "bare: the next user of the pool is granted it too; here: unlocked, or refused", run: pooledLock},
	{name: "unlocked on another connection", must: "bare: false, no error, and the lock stays; here: one connection for both", run: otherConnection},
	{name: "unlock under a context that has ended", must: "bare: not sent, and the pool takes the connection back; here: unlocked", run: unlockCancelled},
	{name: "taken twice by one session", must: "bare: granted, and one unlock leaves it held; here: refused", run: stacked},
	{name: "the session ends under an idle owner", must: "bare: nothing tells it; here: told", run: unaware},
	{name: "closed is not yet unlocked", must: "bare: still held when the call has returned; here: free when it has", run: closedNotFree},
	{name: "the wire goes inside a statement", must: "bare: held until the statement ends; here: within client_connection_check_interval", run: hungUp},
	{name: "a deadlock through the program", must: "bare: the server sees none, both wait on; here: refused before the wait", run: throughProgram},
	{name: "locks and work share a pool", must: "bare: each holder waits for a connection, for ever; here: the locks have their own", run: starved},
	{name: "waiters fill the pool", must: "bare: an unrelated query waits as long as they do; here: it does not", run: waitersFill},
	{name: "a waiter and CREATE INDEX CONCURRENTLY", must: "bare: a deadlock; here: the index is built", run: concurrentIndex},
	{name: "a transaction lock without a transaction", must: "bare: true, and nothing is held; here: refused, and a pool does not compile", run: autocommit},
	{name: "a key that is NULL", must: "bare: no error, and nothing is held; here: an error", run: nullKey},
	{name: "back to a savepoint before the lock", must: "bare: lost without a word; here: refused beforehand", run: savepointDrops},
	{name: "SET LOCAL lock_timeout in a savepoint", must: "bare: in force after RELEASE; here: as before", run: timeoutLeaks},
	{name: "PgBouncer in transaction mode, unasked", must: "bare: two clients are granted one lock; here: refused", run: twoThroughPooler},
	{name: "the same key on a standby", must: "bare: granted beside the primary's owner; here: refused", run: grantedOnStandby},
}

const key4 = 4711 // of the bare statements

func (l *lab) conn() *pgx.Conn {
	l.t.Helper()
	c := must(pgx.Connect(context.Background(), l.dsn))
	l.t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func (l *lab) pool(size int32) *pgxpool.Pool {
	l.t.Helper()
	config := must(pgxpool.ParseConfig(l.dsn))
	config.MaxConns = size
	p := must(pgxpool.NewWithConfig(context.Background(), config))
	l.t.Cleanup(p.Close)
	return p
}

// asks runs a statement whose result is one boolean, NULL for false.
func asks(t testing.TB, q interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}, sql string, args ...any) bool {
	t.Helper()
	var b *bool
	if err := q.QueryRow(context.Background(), sql, args...).Scan(&b); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return b != nil && *b
}

// shown fails the test when the bare pattern did no harm.
func shown(t testing.TB, ok bool, what string) {
	t.Helper()
	if !ok {
		t.Fatalf("bare: %s: not so, and the row tests nothing", what)
	}
}

// freed ends what a bare pattern left behind.
func (l *lab) freed() {
	l.t.Helper()
	l.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	within(l.t, 5*time.Second, "the bare locks are gone", func() bool { return l.held() == 0 })
}

func (l *lab) waits(pid uint32) bool {
	return get[bool](l, `SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1::int8 AND NOT granted)`, pid)
}

// stoppedAtGrant stops the server's process of a waiter, frees the lock, lets
// the wait run out, and has the process go on: it finds the grant and the end
// of the wait at once.
func stoppedAtGrant(change func(*pgxpool.Config)) func(*testing.T, *stand) string {
	return func(t *testing.T, s *stand) string {
		config := must(pgx.ParseConfig(s.dsn))
		wait := 200 * time.Millisecond
		if change != nil {
			wait = time.Minute
			config.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler {
				return &pgconn.CancelRequestContextWatcherHandler{Conn: pg, DeadlineDelay: time.Minute}
			}
		}
		meet := func(sql string, n int64, call func(ctx context.Context, c *pgx.Conn) error) (*pgx.Conn, error) {
			holder, waiter := s.conn(), must(pgx.ConnectConfig(t.Context(), config))
			t.Cleanup(func() { waiter.Close(context.Background()) })
			must(holder.Exec(t.Context(), sql, n))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error)
			go func() { done <- call(ctx, waiter) }()
			pid := waiter.PgConn().PID()
			within(t, 5*time.Second, "the waiter waits", func() bool { return s.waits(pid) })
			if err := syscall.Kill(int(pid), syscall.SIGSTOP); err != nil {
				t.Skipf("the server's processes are not this user's to stop: %v", err)
			}
			must(holder.Exec(t.Context(), "SELECT pg_advisory_unlock($1)", n))
			if change != nil {
				cancel()
			}
			time.Sleep(300 * time.Millisecond)
			syscall.Kill(int(pid), syscall.SIGCONT)
			return waiter, <-done
		}
		c, err := meet("SELECT pg_advisory_lock($1)", key4, func(ctx context.Context, c *pgx.Conn) error {
			must(c.Exec(ctx, fmt.Sprintf("SET lock_timeout = '%dms'", wait.Milliseconds())))
			_, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", key4)
			return err
		})
		shown(t, err != nil && !c.IsClosed() && s.held() == 1, "an error, and the lock is held")
		bare := err
		s.freed()
		locker := must(locks.New(locks.Config{}))
		var tx pgx.Tx
		k := jobs.Key("a")
		_, err = meet("SELECT pg_advisory_lock($1)", k.Int64(), func(ctx context.Context, c *pgx.Conn) error {
			tx = must(c.Begin(ctx))
			ok, err := locker.Lock(ctx, tx, k, wait)
			if ok {
				t.Error("granted")
			}
			return err
		})
		if (err == nil) != (change == nil) {
			t.Errorf("%v", err)
		}
		s.free()
		tx.Rollback(context.Background())
		return fmt.Sprintf("bare: held after %q; here: not", pgMessage(bare))
	}
}

func pgMessage(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Message
	}
	return err.Error()
}

func abandonedWait(t *testing.T, s *stand) string {
	holder, waiter := s.conn(), s.conn()
	must(holder.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
	done := make(chan error, 1)
	go func() { // as migration tools race a blocking call against a timer
		_, err := waiter.Exec(context.Background(), "SELECT pg_advisory_lock($1)", key4)
		done <- err
	}()
	select {
	case <-done:
		t.Fatal("granted twice")
	case <-time.After(100 * time.Millisecond): // "timeout"
	}
	holder.Exec(t.Context(), "SELECT pg_advisory_unlock($1)", key4)
	<-done
	shown(t, s.held() == 1, "the lock is granted after the wait was given up")
	s.freed()

	m, other := s.open(s.audit), s.open(s.audit)
	release(t, s.audit, acquire(t, other, jobs.Key("a"), 10*time.Second)) // it has a connection now
	held := acquire(t, m, jobs.Key("a"), 10*time.Second)
	if _, ok, err := other.Acquire(t.Context(), jobs.Key("a"), 100*time.Millisecond); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	release(t, s.audit, held)
	time.Sleep(100 * time.Millisecond)
	s.free()
	return "as it must"
}

func pooledLock(t *testing.T, s *stand) string {
	const try = "SELECT pg_try_advisory_lock($1)"
	p := s.pool(1)
	c := must(p.Acquire(t.Context()))
	asks(t, c, try, key4)
	c.Release()
	shown(t, asks(t, p, try, key4) && !asks(t, s.conn(), try, key4), "the next user of the pool has it, and nobody else can")
	s.freed()

	m, other := s.open(s.audit, conns(1), func(c *locks.SessionConfig) { c.ConnTimeout = 100 * time.Millisecond }), s.open(s.audit)
	held := acquire(t, m, jobs.Key("a"), 10*time.Second)
	if _, ok, err := m.TryAcquire(t.Context(), jobs.Key("a")); ok || !errors.Is(err, locks.ErrNoConn) {
		t.Errorf("the same pool: %v %v", ok, err)
	}
	release(t, s.audit, held)
	release(t, s.audit, acquire(t, other, jobs.Key("a"), 10*time.Second))
	s.free()
	return "as it must"
}

func otherConnection(t *testing.T, s *stand) string {
	p := s.pool(2)
	must(p.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
	busy := must(p.Acquire(t.Context())) // another request has that connection now
	shown(t, !asks(t, p, "SELECT pg_advisory_unlock($1)", key4) && s.held() == 1, "the unlock is false and the lock stays")
	busy.Release()
	s.freed()

	m := s.open(s.audit, conns(2))
	_, err := m.Do(t.Context(), jobs.Key("a"), 0, func(ctx context.Context, held *locks.Session) error {
		release(t, s.audit, acquire(t, m, jobs.Key("b"), 10*time.Second)) // another request, on the same pool
		return held.Check(ctx)
	})
	if err != nil {
		t.Error(err)
	}
	s.free()
	return "as it must"
}

func unlockCancelled(t *testing.T, s *stand) string {
	p := s.pool(1)
	c := must(p.Acquire(t.Context()))
	must(c.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Exec(ctx, "SELECT pg_advisory_unlock($1)", key4)
	open := !c.Conn().IsClosed()
	c.Release()
	shown(t, err != nil && open && s.held() == 1 && p.Stat().IdleConns() == 1, "an error, and the pool has a connection that owns the lock")
	s.freed()

	held := acquire(t, s.open(s.audit), jobs.Key("a"), 10*time.Second)
	if err := held.Release(ctx); err != nil {
		t.Error(err)
	}
	s.free()
	return "as it must"
}

func stacked(t *testing.T, s *stand) string {
	c := s.conn()
	for range 2 { // a heartbeat that acquires again
		shown(t, asks(t, c, "SELECT pg_try_advisory_lock($1)", key4), "granted each time")
	}
	asks(t, c, "SELECT pg_advisory_unlock($1)", key4)
	shown(t, s.held() == 1, "held after its unlock")
	s.freed()

	m := s.open(s.audit)
	held := acquire(t, m, jobs.Key("a"), 10*time.Second)
	if _, ok, err := m.TryAcquire(held.Context(), jobs.Key("a")); ok || !errors.Is(err, locks.ErrReentrant) {
		t.Errorf("%v %v", ok, err)
	}
	release(t, s.audit, held)
	s.free()
	return "as it must"
}

func unaware(t *testing.T, s *stand) string {
	c := s.conn()
	must(c.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
	s.kill(c.PgConn().PID())
	within(t, 5*time.Second, "the lock is gone", func() bool { return s.held() == 0 })
	time.Sleep(100 * time.Millisecond)
	shown(t, !c.IsClosed(), "the connection says that it is open")

	held := acquire(t, s.open(s.audit), jobs.Key("a"), 10*time.Second)
	s.kill(held.PID())
	select {
	case <-held.Lost():
	case <-time.After(5 * time.Second):
		t.Error("the loss was not told")
	}
	held.Release(t.Context())
	return "as it must"
}

func closedNotFree(t *testing.T, s *stand) string {
	n, late := many(20, 100), 0
	for range n {
		c := s.conn()
		must(c.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		c.Exec(ctx, "SELECT pg_sleep(10)")
		cancel()
		late += min(s.held(), 1)
		s.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::int8", c.PgConn().PID())
		within(t, 5*time.Second, "the lock is gone", func() bool { return s.held() == 0 })
	}
	shown(t, late > 0, "held after the connection was closed")

	m := s.open(s.audit)
	for range n {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := m.Do(ctx, jobs.Key("a"), 0, func(ctx context.Context, held *locks.Session) error {
			tx := must(held.BeginTx(ctx, pgx.TxOptions{}))
			time.AfterFunc(time.Millisecond, cancel)
			_, err := tx.Exec(ctx, "SELECT pg_sleep(10)")
			tx.Rollback(ctx)
			return err
		})
		if err == nil {
			t.Error("the statement went on")
		}
		s.free()
	}
	return fmt.Sprintf("bare: %d of %d; here: 0 of %d", late, n, n)
}

func hungUp(t *testing.T, s *stand) string {
	// cut begins a statement and closes the wire, as the end of a program does.
	cut := func(c *pgx.Conn) uint32 {
		pid := c.PgConn().PID()
		c.PgConn().Frontend().Send(&pgproto3.Query{String: "SELECT pg_sleep(3)"})
		if err := c.PgConn().Frontend().Flush(); err != nil {
			t.Fatal(err)
		}
		within(t, 5*time.Second, "the statement runs", func() bool {
			return get[bool](s.lab, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::int8 AND query LIKE '%pg_sleep(3)' AND state = 'active')", pid)
		})
		c.PgConn().Conn().Close()
		return pid
	}
	c := s.conn()
	must(c.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
	cut(c)
	time.Sleep(1500 * time.Millisecond)
	shown(t, s.held() == 1, "held after the client is gone")
	within(t, 10*time.Second, "the statement ends", func() bool { return s.held() == 0 })

	held := acquire(t, s.open(s.audit, timing(400*time.Millisecond, 5*time.Second, 10*time.Second)), jobs.Key("a"), 10*time.Second)
	var begun time.Time
	held.Use(t.Context(), func(c *pgx.Conn) error {
		cut(c)
		begun = time.Now()
		return nil
	})
	within(t, 1500*time.Millisecond, "the lock is free", func() bool { return s.held() == 0 })
	took := time.Since(begun)
	held.Release(t.Context())
	return fmt.Sprintf("bare: held 1.5 s later; here: free after %v", took.Round(time.Millisecond))
}

func throughProgram(t *testing.T, s *stand) string {
	const lock, lockTx = "SELECT pg_advisory_lock($1)", "SELECT pg_advisory_xact_lock($1)"
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, 2)
	for i := range 2 {
		c := s.conn()
		must(c.Exec(t.Context(), "SET deadlock_timeout = '20ms'"))
		must(c.Exec(t.Context(), lock, key4+i))
	}
	for i := range 2 {
		c := s.conn()
		must(c.Exec(t.Context(), "SET deadlock_timeout = '20ms'"))
		all.Go(func() { _, errs[i] = c.Exec(ctx, lockTx, key4+1-i) })
	}
	all.Wait()
	shown(t, errors.Is(errs[0], context.DeadlineExceeded) && errors.Is(errs[1], context.DeadlineExceeded), "both wait until their contexts end")
	s.freed()

	locker := must(locks.New(locks.Config{Order: locks.MustOrder("job < pair;"), OrderMode: locks.OrderEnforce, Logger: slog.New(slog.DiscardHandler)}))
	m := must(locker.OpenSessions(t.Context(), locks.SessionConfig{DSN: s.dsn}))
	t.Cleanup(m.Close)
	p := s.pool(4)
	both := func(first, second locks.Key) error {
		_, err := m.Do(t.Context(), first, 5*time.Second, func(ctx context.Context, _ *locks.Session) error {
			return locker.InTx(ctx, p, func(ctx context.Context, tx pgx.Tx) error {
				_, err := locker.Lock(ctx, tx, second, 5*time.Second)
				return err
			})
		})
		return err
	}
	if err := both(jobs.Key("a"), pairs.Key(1)); err != nil {
		t.Errorf("in order: %v", err)
	}
	if err := both(pairs.Key(1), jobs.Key("a")); !errors.Is(err, locks.ErrOrder) {
		t.Errorf("against it: %v", err)
	}
	s.free()
	return "as it must"
}

func starved(t *testing.T, s *stand) string {
	const size = 2
	p := s.pool(size)
	for i := range size {
		c := must(p.Acquire(t.Context()))
		t.Cleanup(c.Release)
		must(c.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4+i))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := p.Begin(ctx)
	shown(t, errors.Is(err, context.DeadlineExceeded), "the work waits until its context ends")

	work := s.pool(size)
	m := s.open(newAudit(), pooled(func(c *pgxpool.Config) { c.MaxConns = size }))
	var all sync.WaitGroup
	for i := range size {
		all.Go(func() {
			_, err := m.Do(t.Context(), jobs.Key(fmt.Sprint(i)), 10*time.Second, func(ctx context.Context, _ *locks.Session) error {
				return pgx.BeginFunc(ctx, work, func(pgx.Tx) error { return nil })
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return "as it must"
}

func waitersFill(t *testing.T, s *stand) string {
	const size = 2
	p := s.pool(size)
	must(s.conn().Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range size {
		all.Go(func() { p.Exec(ctx, "SELECT pg_advisory_lock($1)", key4) })
	}
	within(t, 5*time.Second, "the waiters wait", func() bool {
		return get[int](s.lab, "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") == size
	})
	brief, done := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer done()
	_, err := p.Exec(brief, "SELECT 1")
	shown(t, errors.Is(err, context.DeadlineExceeded), "an unrelated query does not get through")
	cancel()
	all.Wait()
	s.freed()

	m, other := s.open(s.audit), s.open(s.audit, conns(size))
	held := acquire(t, m, jobs.Key("a"), 10*time.Second)
	for range 10 * size {
		all.Go(func() { other.Acquire(t.Context(), jobs.Key("a"), 300*time.Millisecond) })
	}
	within(t, 5*time.Second, "the callers wait", func() bool { return other.Waiting(jobs.Key("a")) == 10*size })
	release(t, s.audit, acquire(t, other, jobs.Key("b"), 10*time.Second))
	all.Wait()
	release(t, s.audit, held)
	s.free()
	return "as it must"
}

// A statement that waits keeps a snapshot, and CREATE INDEX CONCURRENTLY
// waits for all older ones.
func concurrentIndex(t *testing.T, s *stand) string {
	s.exec("CREATE TABLE items (n int)")
	s.exec("INSERT INTO items SELECT generate_series(1, 10)")
	const build = "CREATE INDEX CONCURRENTLY ON items (n)"
	holder, waiter := s.conn(), s.conn()
	must(holder.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
	done := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4)
		done <- err
	}()
	within(t, 5*time.Second, "the waiter waits", func() bool { return s.waits(waiter.PgConn().PID()) })
	_, err := holder.Exec(t.Context(), build)
	holder.Close(t.Context())
	err = errors.Join(err, <-done)
	shown(t, err != nil && strings.Contains(err.Error(), "40P01"), "a deadlock")
	s.freed()

	m, other := s.open(s.audit), s.open(s.audit)
	_, err = m.Do(t.Context(), jobs.Key("a"), 0, func(ctx context.Context, held *locks.Session) error {
		go func() {
			next, ok, err := other.Acquire(t.Context(), jobs.Key("a"), 20*time.Second)
			if ok {
				err = s.release(next)
			}
			done <- err
		}()
		within(t, 5*time.Second, "the other waits", func() bool { return other.Waiting(held.Key()) == 1 })
		return held.Use(ctx, func(c *pgx.Conn) error {
			_, err := c.Exec(ctx, build)
			return err
		})
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Error(err)
	}
	s.free()
	return "as it must"
}

func autocommit(t *testing.T, s *stand) string {
	p := s.pool(2)
	shown(t, asks(t, p, "SELECT pg_try_advisory_xact_lock($1)", key4) && s.held() == 0, "true, and nothing is held")
	locker := must(locks.New(locks.Config{}))
	if ok, err := locker.TryLock(t.Context(), nil, jobs.Key("a")); ok || !errors.Is(err, locks.ErrNoTx) {
		t.Errorf("%v %v", ok, err)
	}
	return "as it must"
}

func nullKey(t *testing.T, s *stand) string {
	var none *int64
	tag, err := s.conn().Exec(t.Context(), "SELECT pg_advisory_lock($1::int8)", none)
	shown(t, err == nil && tag.RowsAffected() == 1 && s.held() == 0, "no error, and nothing is held")
	m := s.open(s.audit)
	for _, k := range []locks.Key{{}, jobs.Key("")} {
		if _, ok, err := m.TryAcquire(t.Context(), k); ok || !errors.Is(err, locks.ErrInvalidKey) {
			t.Errorf("%v: %v %v", k, ok, err)
		}
	}
	return "as it must"
}

func savepointDrops(t *testing.T, s *stand) string {
	tx := must(s.conn().Begin(t.Context()))
	must(tx.Exec(t.Context(), "SAVEPOINT a"))
	must(tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", key4))
	_, err := tx.Exec(t.Context(), "ROLLBACK TO SAVEPOINT a")
	shown(t, err == nil && s.held() == 0, "the transaction goes on without its lock")
	inner := must(tx.Begin(t.Context()))
	locker := must(locks.New(locks.Config{}))
	if ok, err := locker.TryLock(t.Context(), inner, jobs.Key("a")); ok || !errors.Is(err, locks.ErrNestedTx) {
		t.Errorf("%v %v", ok, err)
	}
	return "as it must"
}

func timeoutLeaks(t *testing.T, s *stand) string {
	tx := must(s.conn().Begin(t.Context()))
	is := func(want string) bool { return asks(t, tx, "SELECT current_setting('lock_timeout') = $1", want) }
	must(tx.Exec(t.Context(), "SET LOCAL lock_timeout = '7s'"))
	for _, sql := range []string{"SAVEPOINT a", "SET LOCAL lock_timeout = '50ms'", "RELEASE SAVEPOINT a"} {
		must(tx.Exec(t.Context(), sql))
	}
	shown(t, is("50ms"), "the timeout of the savepoint is that of the transaction")
	must(tx.Exec(t.Context(), "SET LOCAL lock_timeout = '7s'"))
	locker := must(locks.New(locks.Config{}))
	if ok, err := locker.Lock(t.Context(), tx, jobs.Key("a"), 50*time.Millisecond); !ok || !is("7s") {
		t.Errorf("granted: %v %v, or another timeout", ok, err)
	}
	must(s.conn().Exec(t.Context(), "SELECT pg_advisory_lock($1)", jobs.Key("b").Int64()))
	if ok, err := locker.Lock(t.Context(), tx, jobs.Key("b"), 50*time.Millisecond); ok || err != nil || !is("7s") {
		t.Errorf("timed out: %v %v, or another timeout", ok, err)
	}
	return "as it must"
}

func twoThroughPooler(t *testing.T, s *stand) string {
	dsn := pglab.NewBouncer(t, s.dsn, "transaction", 1)
	granted := 0
	for range 2 {
		config := must(pgx.ParseConfig(dsn))
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
		c := must(pgx.ConnectConfig(t.Context(), config))
		defer c.Close(context.Background())
		if asks(t, c, "SELECT pg_try_advisory_lock($1::int8)", int64(key4)) {
			granted++
		}
	}
	shown(t, granted == 2, "two clients are granted one lock")
	if _, err := s.try(s.audit, through(dsn)); !errors.Is(err, locks.ErrPooled) {
		t.Errorf("%v", err)
	}
	return "as it must"
}

func grantedOnStandby(t *testing.T, s *stand) string {
	l, replica := replicated(t)
	must(l.conn().Exec(t.Context(), "SELECT pg_advisory_lock($1)", key4))
	there := must(pgx.Connect(t.Context(), l.at(replica)))
	defer there.Close(context.Background())
	shown(t, asks(t, there, "SELECT pg_try_advisory_lock($1)", key4), "granted beside the owner")
	if _, err := l.try(s.audit, through(l.at(replica))); !errors.Is(err, locks.ErrReadOnly) {
		t.Errorf("%v", err)
	}
	return "as it must"
}
