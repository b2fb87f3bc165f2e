package locks

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
)

var bg = context.Background()

// A world is a database with families of its own.
type world struct {
	t     testing.TB
	pool  *pgxpool.Pool
	reg   *Registry
	lock  *Locker
	order Family[string]
	bill  Family[int64]
	seat  PairFamily[int32]
	admin Key
}

func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	w := &world{t: t, pool: testdb.Pool(t, testdb.Database(t, "")), reg: &Registry{}}
	cfg := Config{Logger: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&cfg)
	}
	w.order = ok(NewFamily[string](w.reg, "order"))(t)
	w.bill = ok(NewFamily[int64](w.reg, "bill"))(t)
	w.seat = ok(NewPair[int32](w.reg, "seat", 1001))(t)
	w.admin = ok(NewConst(w.reg, "admin", 77))(t)
	w.lock = ok(New(cfg))(t)
	return w
}

func ok[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// begin opens a transaction that ends with the test at the latest.
func (w *world) begin() pgx.Tx {
	w.t.Helper()
	tx := ok(w.pool.Begin(bg))(w.t)
	w.t.Cleanup(func() { tx.Rollback(bg) })
	return tx
}

// hold takes a key in a transaction of its own.
func (w *world) hold(k Key, opts ...Option) pgx.Tx {
	w.t.Helper()
	tx := w.begin()
	if !ok(w.lock.TryLock(bg, tx, k, opts...))(w.t) {
		w.t.Fatalf("%s is not free", k)
	}
	return tx
}

func (w *world) exec(q interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}, sql string, args ...any) (text string) {
	w.t.Helper()
	if err := q.QueryRow(bg, sql, args...).Scan(&text); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return text
}

// advisory counts the advisory locks that are held in the database.
func (w *world) advisory() int {
	w.t.Helper()
	var n int
	err := w.pool.QueryRow(bg, `select count(*) from pg_locks where locktype = 'advisory' and granted
		and database = (select oid from pg_database where datname = current_database())`).Scan(&n)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// A recorder is an Observer that keeps what it sees.
type recorder struct {
	mu       sync.Mutex
	begun    int
	attempts []Attempt
	results  []Result
	events   []Event
}

func (r *recorder) Begin(ctx context.Context, _ Attempt) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	return ctx
}

func (r *recorder) End(_ context.Context, a Attempt, res Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts, r.results = append(r.attempts, a), append(r.results, res)
}

func (r *recorder) Event(_ context.Context, e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) seen() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.events...)
}

// long reports whether PGLOCKDEP_LONG asks for full counts of trials.
func long() bool { return os.Getenv("PGLOCKDEP_LONG") != "" }

// A counter counts statements.
type counter struct{ n atomic.Int64 }

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *counter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *counter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (c *counter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
