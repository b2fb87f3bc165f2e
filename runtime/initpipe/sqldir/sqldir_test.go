package sqldir

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

func TestMain(m *testing.M) { testdb.Main(m) }

func folder(files ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		out["db/"+files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return out
}

// withSum adds atlas.sum.
func withSum(f fstest.MapFS) fstest.MapFS {
	list, err := read(f, "db", func(string) bool { return false })
	if err != nil {
		panic(err)
	}
	f["db/atlas.sum"] = &fstest.MapFile{Data: []byte(atlasSum(list))}
	return f
}

type reader = func(fs.FS, string) (*Folder, error)

// formats are the readers, each with a folder of two files and one that has a
// third, which wants no transaction.
var formats = map[string]struct {
	read       reader
	two, three fstest.MapFS
}{
	"plain": {Plain,
		folder("a.sql", create, "b.sql", seed),
		folder("a.sql", create, "b.sql", seed, "c.sql", concurrently)},
	"goose": {Goose,
		folder("1_a.sql", "-- +goose Up\n"+create+"\n-- +goose Down\nDROP TABLE course;", "00002_b.sql", "-- +goose Up\n-- +goose StatementBegin\n"+seed+"\n-- +goose StatementEnd\n", "readme.txt", "none"),
		folder("1_a.sql", "-- +goose Up\n"+create+"\n-- +goose Down\nDROP TABLE course;", "00002_b.sql", "-- +goose Up\n-- +goose StatementBegin\n"+seed+"\n-- +goose StatementEnd\n", "10_c.sql", "-- +goose NO TRANSACTION\n-- +goose Up\n"+concurrently)},
	"migrate": {Migrate,
		folder("1_a.up.sql", create, "1_a.down.sql", "DROP TABLE course", "2_b.up.sql", seed),
		folder("1_a.up.sql", create, "1_a.down.sql", "DROP TABLE course", "2_b.up.sql", seed, "10_c.up.sql", concurrently)},
	"tern": {Tern,
		folder("001_a.sql", create+"\n---- create above / drop below ----\nDROP TABLE course;", "002_b.sql", seed),
		folder("001_a.sql", create+"\n---- create above / drop below ----\nDROP TABLE course;", "002_b.sql", seed, "003_c.sql", "---- tern: disable-tx ----\n"+concurrently)},
	"atlas": {Atlas,
		withSum(folder("20260101000000_a.sql", create, "20260102000000_b.sql", seed)),
		withSum(folder("20260101000000_a.sql", create, "20260102000000_b.sql", seed, "20260103000000.sql", "-- atlas:txmode none\n"+concurrently))},
}

const (
	create       = "CREATE TABLE course (name text PRIMARY KEY);\nCREATE FUNCTION one() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;"
	seed         = "INSERT INTO course VALUES ('algebra; and more'), ('biology');"
	concurrently = "-- twice\nCREATE INDEX CONCURRENTLY one ON course (lower(name));\nCREATE INDEX CONCURRENTLY two ON course (upper(name));\n"
)

// A world is a database and a pipeline's way to it.
type world struct {
	t    *testing.T
	dsn  string
	pool *pgxpool.Pool
}

func newWorld(t *testing.T) *world {
	dsn := testdb.Spare(t)
	return &world{t, dsn, testdb.Pool(t, dsn)}
}

func (w *world) run(oneTx bool, stages ...initpipe.Stage) (*initpipe.Report, error) {
	w.t.Helper()
	p, err := initpipe.New(initpipe.Config{Name: "content", Stages: stages, OneTx: oneTx, Session: locks.SessionConfig{DSN: w.dsn}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer p.Close(ctx)
	return p.Run(ctx, initpipe.Request{})
}

func (w *world) count(sql string) (n int) {
	w.t.Helper()
	if err := w.pool.QueryRow(context.Background(), sql).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) indexes() int {
	w.t.Helper()
	return w.count(`SELECT count(*) FROM pg_index WHERE indrelid = 'course'::regclass AND indisvalid AND NOT indisprimary`)
}

func TestFormats(t *testing.T) {
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			two, err := f.read(f.two, "db")
			if err != nil {
				t.Fatal(err)
			}
			rep, err := w.run(true, two.Stage("schema"))
			if err != nil || rep.Stages[0].Outcome != initpipe.Done || rep.Stages[0].Outside || rep.Stages[0].Done != 2 {
				t.Fatalf("%+v, %v", rep, err)
			}
			if rep, err := w.run(false, two.Stage("schema")); err != nil || rep.Outcome != initpipe.Unchanged {
				t.Errorf("again: %+v, %v", rep, err)
			}
			three, err := f.read(f.three, "db")
			if err != nil {
				t.Fatal(err)
			}
			rep, err = w.run(false, three.Stage("schema"))
			if err != nil || !rep.Stages[0].Outside || rep.Stages[0].Total != 1 {
				t.Fatalf("%+v, %v", rep, err)
			}
			if w.indexes() != 2 || w.count(`SELECT count(*) FROM course`) != 2 {
				t.Errorf("%d indexes", w.indexes())
			}
			// The tables of the tool alone tell a pipeline that has no record.
			w.count(`WITH d AS (DELETE FROM initpipe_applied RETURNING 1) SELECT count(*) FROM d`)
			if rep, err := w.run(false, three.Stage("schema")); err != nil || rep.Stages[0].Total != 0 {
				t.Errorf("once more: %+v, %v", rep, err)
			}
		})
	}
}

// TestFailureLeavesNothing fails in the second of two pending files.
func TestFailureLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, err := Plain(folder("a.sql", create, "b.sql", seed+seed), "db")
	if err != nil {
		t.Fatal(err)
	}
	rep, err := w.run(false, f.Stage("schema"))
	if err == nil || !strings.Contains(err.Error(), `step "b.sql": b.sql: ERROR: duplicate key`) || rep.Stages[0].Outcome != initpipe.RolledBack {
		t.Fatalf("%+v, %v", rep, err)
	}
	if n := w.count(`SELECT count(*) FROM pg_class WHERE relname IN ('course', 'initpipe_file')`); n != 0 {
		t.Errorf("%d tables are left", n)
	}
}

func TestDirtyIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read := func(sql string) initpipe.Stage {
		f, err := Migrate(folder("1_a.up.sql", create, "2_b.up.sql", sql), "db")
		if err != nil {
			t.Fatal(err)
		}
		return f.Stage("schema")
	}
	bad := "CREATE INDEX CONCURRENTLY one ON course (name); CREATE INDEX CONCURRENTLY two ON course (nothing)"
	rep, err := w.run(false, read(bad))
	if err == nil || rep.Stages[0].Outcome != initpipe.Partial {
		t.Fatalf("%+v, %v", rep, err)
	}
	if w.indexes() != 1 {
		t.Errorf("%d indexes", w.indexes())
	}
	if _, err = w.run(false, read(bad)); err == nil || !strings.Contains(err.Error(), "version 2 is marked dirty") {
		t.Errorf("error %v", err)
	}
}

func TestDrift(t *testing.T) {
	for words, c := range map[string]struct {
		read          reader
		before, after fstest.MapFS
	}{
		"b.sql was changed after it was applied":                {Plain, folder("a.sql", create, "b.sql", seed), folder("a.sql", create, "b.sql", seed+" ", "c.sql", "SELECT 1")},
		"b.sql was applied and is not in the folder":            {Plain, folder("b.sql", create), folder("c.sql", "SELECT 1", "d.sql", "SELECT 1")},
		"2_b.sql is older than version 3":                       {Goose, folder("3_a.sql", "-- +goose Up\n"+create), folder("2_b.sql", "-- +goose Up\nSELECT 1", "3_a.sql", "-- +goose Up\n"+create)},
		"the database is at version 3, which no file":           {Migrate, folder("3_a.up.sql", create), folder("2_a.up.sql", create, "4_a.up.sql", create)},
		"20260101_b.sql is older than version 20260102, which":  {Atlas, withSum(folder("20260102_a.sql", create)), withSum(folder("20260101_b.sql", "SELECT 1", "20260102_a.sql", create))},
		"version 20260102 was applied and is not in the folder": {Atlas, withSum(folder("20260102_a.sql", create)), withSum(folder("20260103_b.sql", "SELECT 1", "20260104_c.sql", "SELECT 1"))},
	} {
		t.Run(words, func(t *testing.T) {
			w := newWorld(t)
			for i, files := range []fstest.MapFS{c.before, c.after} {
				f, err := c.read(files, "db")
				if err != nil {
					t.Fatal(err)
				}
				_, err = w.run(false, f.Stage("schema"))
				if i == 0 && err != nil || i == 1 && (err == nil || !strings.Contains(err.Error(), words)) {
					t.Errorf("%d: %v", i, err)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for words, c := range map[string]struct {
		read  reader
		files fstest.MapFS
	}{
		"has no SQL files":               {Plain, folder("a.txt", "")},
		"is a migration in Go":           {Goose, folder("1_a.go", "", "2_b.sql", "-- +goose Up\n")},
		"-- +goose ENVSUB ON":            {Goose, folder("1_a.sql", "-- +goose ENVSUB ON\n-- +goose Up\n")},
		"has no -- +goose Up":            {Goose, folder("1_a.sql", create)},
		"1_a.sql: it has statements":     {Goose, folder("1_a.sql", "-- +goose Up\n"+concurrently)},
		"have one version":               {Goose, folder("1_a.sql", "-- +goose Up\n", "01_b.sql", "-- +goose Up\n")},
		"it is a template":               {Tern, folder("1_a.sql", "SELECT {{.x}}")},
		"numbered from 1 without a gap":  {Tern, folder("1_a.sql", "SELECT 1", "3_b.sql", "SELECT 1")},
		"atlas.sum: file does not exist": {Atlas, folder("1_a.sql", create)},
		"atlas.sum does not match":       {Atlas, folder("1_a.sql", create, "atlas.sum", "h1:x\n")},
		"-- atlas:checkpoint is not":     {Atlas, withSum(folder("1_a.sql", "-- atlas:checkpoint\n"+create))},
	} {
		if _, err := c.read(c.files, "db"); err == nil || !strings.Contains(err.Error(), words) || !strings.HasPrefix(err.Error(), "sqldir: ") {
			t.Errorf("%s: %v", words, err)
		}
	}
	if _, err := Plain(folder("a.sql", ""), "elsewhere"); err == nil {
		t.Error("a folder that is not there was read")
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                      nil,
		";; -- nothing\n /* ; */ ;":             nil,
		"SELECT 1; SELECT ';' ;":                {"SELECT 1", "SELECT ';'"},
		`SELECT 'it''s;', "a;b"; SELECT E'\';'`: {`SELECT 'it''s;', "a;b"`, `SELECT E'\';'`},
		"DO $$ BEGIN; END $$; SELECT $x$ $$; $x$": {"DO $$ BEGIN; END $$", "SELECT $x$ $$; $x$"},
		"SELECT a$1; SELECT /* /* ; */ ; */ 2":    {"SELECT a$1", "SELECT /* /* ; */ ; */ 2"},
		"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END; SELECT 2": {
			"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END", "SELECT 2"},
	} {
		if got := split(text); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("split(%q) = %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"CREATE INDEX i ON t (a)":                                       false,
		"-- x\ncreate unique index concurrently i on t (a)":             true,
		"SELECT 1; /* a */ BEGIN; SELECT 2; COMMIT":                     true,
		"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END":    false,
		"CREATE TABLE vacuum_log (n int); INSERT INTO begin VALUES (1)": false,
		"VACUUM t": true,
	} {
		if got := bare(text); got != want {
			t.Errorf("bare(%q) = %v", text, got)
		}
	}
}
