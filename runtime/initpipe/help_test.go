package initpipe

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

var bg = context.Background()

// full says that the long forms of the tests run.
var full = os.Getenv("PGLOCKDEP_FULL") != ""

func many(ordinary, long int) int {
	if full {
		return long
	}
	return ordinary
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A world is a database, looked at by a pool of its own.
type world struct {
	t    testing.TB
	dsn  string
	pool *pgxpool.Pool

	mu     sync.Mutex
	events []Event
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return worldOn(t, testdb.Spare(t))
}

func worldOn(t testing.TB, dsn string) *world {
	return &world{t: t, dsn: dsn, pool: testdb.Pool(t, dsn)}
}

// pipeline makes a pipeline of stages, closed when the test ends.
func (w *world) pipeline(stages []Stage, change ...func(*Config)) *Pipeline {
	w.t.Helper()
	cfg := Config{Name: "content", Stages: stages, Session: locks.SessionConfig{DSN: w.dsn}, LockTimeout: time.Minute,
		Logger: slog.New(slog.DiscardHandler), Observer: w.observe}
	for _, c := range change {
		c(&cfg)
	}
	p, err := New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(bg, 10*time.Second)
		defer cancel()
		p.Close(ctx)
	})
	return p
}

func (w *world) observe(_ context.Context, e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

func (w *world) count(kind EventKind) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func oneTx(c *Config) { c.OneTx = true }

// modes runs a test in both modes of a pipeline.
func modes(t *testing.T, f func(t *testing.T, w *world, mode func(*Config))) {
	t.Parallel()
	t.Run("staged", func(t *testing.T) { t.Parallel(); f(t, newWorld(t), func(*Config) {}) })
	t.Run("whole", func(t *testing.T) { t.Parallel(); f(t, newWorld(t), oneTx) })
}

func get[T any](w *world, sql string, args ...any) (v T) {
	w.t.Helper()
	if err := w.pool.QueryRow(bg, sql, args...).Scan(&v); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.pool.Exec(bg, sql, args...); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

const heldHere = `FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// free fails the test when an advisory lock is held.
func (w *world) free() {
	w.t.Helper()
	if n := get[int](w, `SELECT count(*) `+heldHere); n != 0 {
		w.t.Errorf("%d advisory locks are held", n)
	}
}

// within waits until cond holds.
func within(t testing.TB, limit time.Duration, what string, cond func() bool) time.Duration {
	t.Helper()
	begun := time.Now()
	for !cond() {
		if time.Since(begun) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
	return time.Since(begun)
}

// owner returns the server process that holds the lock of a pipeline, 0 for
// none.
func (w *world) owner(p *Pipeline) int32 {
	w.t.Helper()
	list := must(locks.Holders(bg, w.pool, p.Key()))
	if len(list) == 0 || !list[0].Granted {
		return 0
	}
	return list[0].PID
}

func (w *world) tables() int {
	return get[int](w, `SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'initpipe%'`)
}

// courses counts the rows that the seed wrote, -1 without the table.
func (w *world) courses() int {
	w.t.Helper()
	if !get[bool](w, `SELECT to_regclass('course') IS NOT NULL`) {
		return -1
	}
	return get[int](w, `SELECT count(*) FROM course`)
}

// A flaw makes a stage fail.
type flaw func(context.Context, pgx.Tx, *Progress) error

func duplicate(ctx context.Context, tx pgx.Tx, p *Progress) error {
	p.Step("algebra again")
	_, err := tx.Exec(ctx, `INSERT INTO course (name) VALUES ('algebra')`)
	return err
}

// content is a pipeline of three stages; flaw, if any, is called in the
// second after its writes.
func content(f flaw) []Stage {
	return []Stage{
		{Name: "create", Run: Exec(`CREATE TABLE IF NOT EXISTS course (name text PRIMARY KEY, done boolean NOT NULL DEFAULT false)`)},
		{Name: "seed", Title: "Seed courses", Run: func(ctx context.Context, tx pgx.Tx, p *Progress) error {
			p.Step("courses")
			for i, name := range []string{"algebra", "biology", "chemistry"} {
				if _, err := tx.Exec(ctx, `INSERT INTO course (name) VALUES ($1) ON CONFLICT DO NOTHING`, name); err != nil {
					return err
				}
				p.Count(int64(i+1), 3)
			}
			if f != nil {
				return f(ctx, tx, p)
			}
			return nil
		}},
		{Name: "finish", Run: Exec(`UPDATE course SET done = true`)},
	}
}

// index is a stage that no transaction may contain.
var index = Stage{Name: "index", RunConn: func(ctx context.Context, conn *pgx.Conn, _ *Progress) error {
	_, err := conn.Exec(ctx, `CREATE INDEX CONCURRENTLY IF NOT EXISTS course_done ON course (done)`)
	return err
}}

// outcomes prints the stages of a run.
func outcomes(stages []StageReport) string {
	var out []string
	for _, s := range stages {
		out = append(out, s.Name+" "+string(s.Outcome))
	}
	return strings.Join(out, ", ")
}

func wantOutcomes(t testing.TB, stages []StageReport, want string) {
	t.Helper()
	if got := outcomes(stages); got != want {
		t.Errorf("stages: %s\n   want: %s", got, want)
	}
}

// recorded returns what the table says of the last run.
func (w *world) recorded() (outcome Outcome, stages string) {
	w.t.Helper()
	outcome = get[Outcome](w, `SELECT outcome FROM initpipe_run ORDER BY id DESC LIMIT 1`)
	stages = get[string](w, `SELECT coalesce(string_agg(name || ' ' || outcome, ', ' ORDER BY position), '') FROM initpipe_stage WHERE run = (SELECT max(id) FROM initpipe_run)`)
	return outcome, stages
}

func (w *world) wantRecorded(outcome Outcome, stages string) {
	w.t.Helper()
	if o, s := w.recorded(); o != outcome || s != stages {
		w.t.Errorf("recorded: %s: %s\n    want: %s: %s", o, s, outcome, stages)
	}
}

func runs(t testing.TB, p *Pipeline, want Outcome) *Report {
	t.Helper()
	rep, err := p.Run(bg, Request{Actor: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Outcome != want {
		t.Fatalf("outcome %s, want %s", rep.Outcome, want)
	}
	return rep
}

func status(t testing.TB, p *Pipeline) *State {
	t.Helper()
	st, err := p.State(bg)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// gate returns a flaw that tells when it is reached and waits there.
func gate() (f flaw, reached chan struct{}, open chan error) {
	reached, open = make(chan struct{}, 8), make(chan error, 8)
	return func(ctx context.Context, _ pgx.Tx, _ *Progress) error {
		reached <- struct{}{}
		select {
		case err := <-open:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}, reached, open
}

// start runs a pipeline beside the test.
func start(p *Pipeline) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := p.Run(bg, Request{Actor: "bob"})
		done <- err
	}()
	return done
}

func stageError(t testing.TB, err error) *StageError {
	t.Helper()
	var s *StageError
	if !errors.As(err, &s) {
		t.Fatalf("%v is no *StageError", err)
	}
	return s
}

// flawAt calls f inside of the seed.
func flawAt(f func()) flaw {
	return func(context.Context, pgx.Tx, *Progress) error {
		f()
		return nil
	}
}
