package locks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
)

func TestTryLockExcludes(t *testing.T) {
	w := newWorld(t)
	for _, k := range []Key{w.order.Key("é"), w.bill.Key(-5), w.seat.Key(3), w.admin} {
		first, second := w.hold(k), w.begin()
		if got := ok(w.lock.TryLock(bg, second, k))(t); got {
			t.Errorf("%s was granted twice", k)
		}
		if got := ok(w.lock.TryLock(bg, first, k))(t); !got {
			t.Errorf("%s was not granted to its own holder", k)
		}
		if err := first.Commit(bg); err != nil {
			t.Fatal(err)
		}
		if got := ok(w.lock.TryLock(bg, second, k))(t); !got {
			t.Errorf("%s is held after the commit", k)
		}
		second.Rollback(bg)
	}
}

// The lock is the one that SQL takes with the same key.
func TestTryLockMeetsSQL(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		key Key
		sql string
	}{
		{w.order.Key("é"), `select pg_try_advisory_xact_lock(hashtextextended('order:é', 0))::text`},
		{w.bill.Key(-5), `select pg_try_advisory_xact_lock(hashtextextended('bill:' || -5, 0))::text`},
		{w.seat.Key(-3), `select pg_try_advisory_xact_lock(1001, -3)::text`},
		{w.admin, `select pg_try_advisory_xact_lock(77)::text`},
	} {
		tx := w.hold(c.key)
		if got := w.exec(w.pool, c.sql); got != "false" {
			t.Errorf("%s: SQL got the lock too", c.key)
		}
		tx.Rollback(bg)
		if got := w.exec(w.pool, c.sql); got != "true" {
			t.Errorf("%s: SQL does not get the free lock", c.key)
		}
	}
}

func TestShareMode(t *testing.T) {
	w := newWorld(t)
	k := w.order.Key("1")
	w.hold(k, InShareMode)
	w.hold(k, InShareMode)
	tx := w.begin()
	if ok(w.lock.TryLock(bg, tx, k))(t) {
		t.Error("exclusive beside shared")
	}
	if got := ok(w.lock.Lock(bg, tx, k, 20*time.Millisecond, InShareMode))(t); !got {
		t.Error("shared beside shared was not granted")
	}
}

func TestOnlyTransactionsCompile(t *testing.T) {
	want := reflect.TypeFor[func(*Locker, context.Context, pgx.Tx, Key, ...Option) (bool, error)]()
	if got := reflect.TypeFor[*Locker](); true {
		m, _ := got.MethodByName("TryLock")
		if m.Type != want {
			t.Fatalf("TryLock is %v", m.Type)
		}
	}
	tx := reflect.TypeFor[pgx.Tx]()
	for _, typ := range []reflect.Type{reflect.TypeFor[*pgxpool.Pool](), reflect.TypeFor[*pgxpool.Conn](), reflect.TypeFor[*pgx.Conn]()} {
		if typ.Implements(tx) {
			t.Errorf("%v passes for a transaction", typ)
		}
	}
	if !reflect.TypeFor[*pgxpool.Tx]().Implements(tx) {
		t.Error("a transaction of a pool does not")
	}
}

type wrapped struct{ pgx.Tx }

func TestRefusedBeforeAnyStatement(t *testing.T) {
	w := newWorld(t)
	k := w.order.Key("1")
	var sent counter
	pool := testdb.Pool(t, w.pool.Config().ConnString(), func(c *pgxpool.Config) { c.ConnConfig.Tracer = &sent })
	begin := func() pgx.Tx {
		tx := ok(pool.Begin(bg))(t)
		t.Cleanup(func() { tx.Rollback(bg) })
		return tx
	}
	finished := begin()
	finished.Commit(bg)
	rolled := begin()
	rolled.Rollback(bg)
	aborted := begin()
	aborted.Exec(bg, "select 1/0")
	bare := begin()
	bare.Exec(bg, "commit")
	conn := ok(pool.Acquire(bg))(t)
	defer conn.Release()
	plain := ok(conn.Begin(bg))(t)
	defer plain.Rollback(bg)
	nested := ok(begin().Begin(bg))(t)
	twice := ok(ok(plain.Begin(bg))(t).Begin(bg))(t)
	for name, c := range map[string]struct {
		tx   pgx.Tx
		want error
	}{
		"nil":             {nil, ErrNoTx},
		"typed nil":       {(*pgxpool.Tx)(nil), ErrNoTx},
		"committed":       {finished, ErrNoTx},
		"rolled back":     {rolled, ErrNoTx},
		"ended by SQL":    {bare, ErrNoTx},
		"aborted":         {aborted, ErrTxAborted},
		"savepoint":       {nested, ErrNestedTx},
		"savepoint twice": {twice, ErrNestedTx},
		"wrapped":         {wrapped{nested}, ErrNestedTx},
	} {
		before := sent.n.Load()
		for call, err := range map[string]error{
			"TryLock":  second(w.lock.TryLock(bg, c.tx, k)),
			"Lock":     second(w.lock.Lock(bg, c.tx, k, time.Second)),
			"LockAll":  second(w.lock.LockAll(bg, c.tx, w.order.Keys("1", "2"), time.Second)),
			"bad key":  second(w.lock.TryLock(bg, plain, Key{})),
			"bad wait": second(w.lock.Lock(bg, plain, k, 0)),
		} {
			want := c.want
			switch call {
			case "bad key":
				want = ErrInvalidKey
			case "bad wait":
				want = ErrWait
			}
			if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "locks: ") {
				t.Errorf("%s, %s: %v, want %v", name, call, err, want)
			}
		}
		if n := sent.n.Load() - before; n != 0 {
			t.Errorf("%s: %d statements were sent", name, n)
		}
	}
	if got := ok(w.lock.TryLock(bg, nested, k, AllowSavepoint))(t); !got {
		t.Error("AllowSavepoint: not granted")
	}
	nested.Rollback(bg)
	if got := ok(w.lock.TryLock(bg, w.begin(), k))(t); !got {
		t.Error("the rollback to the savepoint kept the lock")
	}
	if err := second(w.lock.Lock(bg, plain, k, 2*time.Minute)); !errors.Is(err, ErrWait) {
		t.Errorf("over MaxWait: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestBoundedWait(t *testing.T) {
	w := newWorld(t)
	k := w.bill.Key(1)
	holder := w.hold(k)
	tx := w.begin()
	start := time.Now()
	if ok(w.lock.Lock(bg, tx, k, 60*time.Millisecond))(t) {
		t.Fatal("granted twice")
	}
	if took := time.Since(start); took < 60*time.Millisecond {
		t.Errorf("waited only %v", took)
	}
	if got := w.exec(tx, "select 'on'"); got == "" {
		t.Error("the transaction does not go on")
	}
	if n := w.advisory(); n != 1 {
		t.Errorf("%d locks are held, want that of the holder", n)
	}
	released := after(50*time.Millisecond, func() { holder.Commit(bg) })
	if !ok(w.lock.Lock(bg, tx, k, 10*time.Second))(t) {
		t.Error("not granted after the release")
	}
	<-released
	if err := tx.Commit(bg); err != nil {
		t.Fatal(err)
	}
	if n := w.advisory(); n != 0 {
		t.Errorf("%d locks are left", n)
	}
}

// lock_timeout is what it was, whoever set it in whatever way.
func TestLockTimeoutIsRestored(t *testing.T) {
	w := newWorld(t)
	held := w.order.Key("held")
	w.hold(held)
	show := "select current_setting('lock_timeout')"
	for _, c := range []struct{ name, before, inside, in, after string }{
		{"default", "reset lock_timeout", "select 1", "0", "0"},
		{"of the session", "set lock_timeout = '1234ms'", "select 1", "1234ms", "1234ms"},
		{"of the transaction", "set lock_timeout = '1234ms'", "set local lock_timeout = '7s'", "7s", "1234ms"},
		{"of the session, set in the transaction", "reset lock_timeout", "set lock_timeout = '9s'", "9s", "9s"},
		{"both", "reset lock_timeout", "set lock_timeout = '9s'; set local lock_timeout = '5s'", "5s", "9s"},
	} {
		conn := ok(w.pool.Acquire(bg))(t)
		ok(conn.Exec(bg, c.before))(t)
		for _, k := range []Key{w.order.Key("free"), held} {
			tx := ok(conn.Begin(bg))(t)
			for _, sql := range strings.Split(c.inside, ";") {
				ok(tx.Exec(bg, sql))(t)
			}
			got := ok(w.lock.Lock(bg, tx, k, 20*time.Millisecond))(t)
			if got != (k != held) {
				t.Errorf("%s: %s granted: %v", c.name, k, got)
			}
			if got := w.exec(tx, show); got != c.in {
				t.Errorf("%s: lock_timeout is %s in the transaction, want %s", c.name, got, c.in)
			}
			if err := tx.Commit(bg); err != nil {
				t.Fatal(err)
			}
			if got := w.exec(conn, show); got != c.after {
				t.Errorf("%s: lock_timeout is %s after it, want %s", c.name, got, c.after)
			}
			ok(conn.Exec(bg, c.before))(t)
		}
		ok(conn.Exec(bg, "reset lock_timeout"))(t)
		conn.Release()
	}
}

func TestLockAllTakesAllOrNone(t *testing.T) {
	w := newWorld(t)
	keys := append(w.order.Keys("a", "b", "c"), w.seat.Key(2), w.seat.Key(1), w.admin)
	for _, busy := range keys {
		holder, tx := w.hold(busy), w.begin()
		if ok(w.lock.LockAll(bg, tx, keys, 30*time.Millisecond))(t) {
			t.Errorf("granted while %s was held", busy)
		}
		if n := w.advisory(); n != 1 {
			t.Errorf("%d locks are held, want that of the holder", n)
		}
		holder.Rollback(bg)
		if !ok(w.lock.LockAll(bg, tx, keys, time.Second))(t) {
			t.Error("not granted")
		}
		if n := w.advisory(); n != len(keys) {
			t.Errorf("%d locks are held, want %d", n, len(keys))
		}
		tx.Rollback(bg)
	}
	if got := ok(w.lock.LockAll(bg, w.begin(), nil, time.Second))(t); !got {
		t.Error("no keys are not granted")
	}
}

func TestLockAllNeverDeadlocks(t *testing.T) {
	w := newWorld(t)
	ids := []string{"a", "b", "c", "d", "e", "f"}
	var wg sync.WaitGroup
	for n := range 6 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(7, uint64(n)))
			for range 25 {
				mine := append([]string(nil), ids...)
				rnd.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
				var keys []Key
				for _, id := range mine[:4] {
					keys = append(keys, w.order.Key(id), w.seat.Key(int32(len(id))))
				}
				err := w.lock.InTx(bg, w.pool, func(ctx context.Context, tx pgx.Tx) error {
					if granted, err := w.lock.LockAll(ctx, tx, keys, 20*time.Second); err != nil || !granted {
						return fmt.Errorf("granted %v: %w", granted, err)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestDeadlockIsToldAndTheTransactionGoesOn(t *testing.T) {
	w := newWorld(t)
	a, b := w.order.Key("a"), w.order.Key("b")
	one, two := w.hold(a), w.hold(b)
	// Whoever loses still holds its first key, and lets the other go on.
	wants := func(tx pgx.Tx, k Key) error {
		err := second(w.lock.Lock(bg, tx, k, 20*time.Second))
		if err == nil {
			return nil
		}
		var timeout string
		if e := tx.QueryRow(bg, "select current_setting('lock_timeout')").Scan(&timeout); e != nil || timeout != "0" {
			t.Errorf("after the deadlock: lock_timeout %s, %v", timeout, e)
		}
		tx.Rollback(bg)
		return err
	}
	done := make(chan error, 1)
	go func() { done <- wants(one, b) }()
	mine := wants(two, a)
	if err := errors.Join(mine, <-done); !errors.Is(err, ErrDeadlock) {
		t.Errorf("got %v", err)
	}
}

// A wait that ended in a timeout or an error holds nothing, however close the
// grant was.
func TestTimeoutAtTheGrant(t *testing.T) {
	w := newWorld(t)
	trials := 120
	if !testing.Short() && long() {
		trials = 3000
	}
	k := w.order.Key("race")
	const wait = 4 * time.Millisecond
	lost, pause := 0, wait
	for range trials {
		holder, tx := w.hold(k), w.begin()
		released := after(pause, func() { holder.Rollback(bg) })
		granted, err := w.lock.Lock(bg, tx, k, wait)
		if err != nil {
			t.Fatal(err)
		}
		mine := w.exec(tx, "select count(*)::text from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted")
		if (mine == "1") != granted {
			t.Fatalf("granted %v, holds %s", granted, mine)
		}
		// The release follows the end of the wait, on whatever machine.
		if granted {
			pause += nudge
		} else {
			lost++
			pause = max(pause-nudge, 0)
		}
		<-released
		tx.Rollback(bg)
	}
	if lost == 0 || lost == trials {
		t.Errorf("%d of %d waits ran out: the race was not met", lost, trials)
	}
}

// nudge moves one side of a race towards the other after each trial.
const nudge = 300 * time.Microsecond

// after runs f once d has passed, and closes the channel when f has returned.
func after(d time.Duration, f func()) <-chan struct{} {
	done := make(chan struct{})
	time.AfterFunc(d, func() { f(); close(done) })
	return done
}

func TestCancelAtTheGrant(t *testing.T) {
	w := newWorld(t)
	trials := 60
	if long() {
		trials = 400
	}
	for name, handler := range map[string]func(*pgconn.PgConn) ctxwatch.Handler{
		"deadline": nil,
		"cancel request": func(c *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: 5 * time.Second}
		},
	} {
		pool := testdb.Pool(t, w.pool.Config().ConnString(), func(c *pgxpool.Config) {
			if handler != nil {
				c.ConnConfig.BuildContextWatcherHandler = handler
			}
		})
		k := w.order.Key(name)
		failures, pause := 0, 3*time.Millisecond
		for range trials {
			holder := w.begin() // the session of a cancelled call may still be closing
			ok(w.lock.Lock(bg, holder, k, 10*time.Second))(t)
			tx := ok(pool.Begin(bg))(t)
			ctx, cancel := context.WithCancel(bg)
			released := after(3*time.Millisecond, func() { holder.Rollback(bg) })
			cancelled := after(pause, cancel)
			granted, err := w.lock.Lock(ctx, tx, k, 10*time.Second)
			if err != nil {
				failures++
				pause += nudge
			} else {
				pause = max(pause-nudge, 0)
			}
			if conn := tx.Conn(); err != nil && !conn.IsClosed() {
				// Asked from outside: a cancel that met the savepoint itself has
				// left the transaction aborted.
				if n := w.exec(w.pool, "select count(*)::text from pg_locks where locktype = 'advisory' and pid = $1 and granted", conn.PgConn().PID()); n != "0" {
					t.Fatalf("%s: %s locks are held after %v", name, n, err)
				}
			}
			if granted && err != nil {
				t.Fatalf("%s: granted and %v", name, err)
			}
			<-released
			<-cancelled
			tx.Rollback(bg)
		}
		if failures == 0 || failures == trials {
			t.Errorf("%s: %d of %d were cancelled: the race was not met", name, failures, trials)
		}
	}
}

func TestInTx(t *testing.T) {
	w := newWorld(t)
	k := w.order.Key("1")
	boom := errors.New("boom")
	take := func(then func() error) func(context.Context, pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error {
			if !ok(w.lock.TryLock(ctx, tx, k))(t) {
				t.Error("not granted")
			}
			return then()
		}
	}
	if err := w.lock.InTx(bg, w.pool, take(func() error { return nil })); err != nil {
		t.Error(err)
	}
	if err := w.lock.InTx(bg, w.pool, take(func() error { return boom })); err != boom {
		t.Errorf("got %v", err)
	}
	func() {
		defer func() {
			if got := recover(); got != boom {
				t.Errorf("recovered %v", got)
			}
		}()
		w.lock.InTx(bg, w.pool, take(func() error { panic(boom) }))
	}()
	if n := w.advisory(); n != 0 {
		t.Errorf("%d locks are left", n)
	}
}
