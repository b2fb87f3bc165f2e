package pqtest

import (
	"context"
	"database/sql"
	"log/slog"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

func TestMain(m *testing.M) { testdb.Main(m) }

var bg = context.Background()

func ok[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A world is a database behind one driver.
type world struct {
	*testing.T
	driver string
	dsn    string
	db     *sql.DB
	lock   *locks.Locker
	reg    *locks.Registry
	order  locks.Family[string]
	seat   locks.PairFamily[int32]
}

// each runs f with both drivers.
func each(t *testing.T, f func(*world)) {
	for _, driver := range []string{"pgx", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			w := &world{T: t, driver: driver, dsn: testdb.Database(t, ""), reg: &locks.Registry{}}
			w.db = ok(sql.Open(driver, w.dsn))(t)
			t.Cleanup(func() { w.db.Close() })
			w.lock = ok(locks.New(locks.Config{Logger: slog.New(slog.DiscardHandler)}))(t)
			w.order = ok(locks.NewFamily[string](w.reg, "order"))(t)
			w.seat = ok(locks.NewPair[int32](w.reg, "seat", 1001))(t)
			f(w)
		})
	}
}

func (w *world) begin() *sql.Tx {
	w.Helper()
	tx := ok(w.db.BeginTx(bg, nil))(w)
	w.Cleanup(func() { tx.Rollback() })
	return tx
}

func (w *world) text(q interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, query string) (s string) {
	w.Helper()
	if err := q.QueryRowContext(bg, query).Scan(&s); err != nil {
		w.Fatalf("%s: %v", query, err)
	}
	return s
}

// left counts the advisory locks that stay: the server ends a session, and
// frees its locks, some time after its connection is closed.
func (w *world) left() string {
	w.Helper()
	for end := time.Now().Add(10 * time.Second); w.advisory() != "0" && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	return w.advisory()
}

// advisory counts the advisory locks that are held in the database.
func (w *world) advisory() string {
	w.Helper()
	return w.text(w.db, `select count(*)::text from pg_locks where locktype = 'advisory' and granted
		and database = (select oid from pg_database where datname = current_database())`)
}
