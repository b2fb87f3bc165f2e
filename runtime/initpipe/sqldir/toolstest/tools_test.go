package toolstest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	neturl "net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	atlas "ariga.io/atlas/sql/migrate"
	"github.com/golang-migrate/migrate/v4"
	_ "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	_ "github.com/golang-migrate/migrate/v4/source/file"
	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
	tern "github.com/jackc/tern/v2/migrate"
	"github.com/pressly/goose/v3"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
	"github.com/pglockdep/pglockdep/runtime/initpipe/sqldir"
	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

func TestMain(m *testing.M) { testdb.Main(m) }

var bg = context.Background()

// A tool applies the files of a folder up to a version, and says at which
// version it believes the database to be.
type tool struct {
	read func(dir string) (*sqldir.Folder, error)
	name func(version int) string
	up   string // before the statement
	to   func(t *testing.T, dsn, dir string, version int) (int, error)
}

var tools = map[string]tool{
	"goose": {
		read: func(dir string) (*sqldir.Folder, error) { return sqldir.Goose(os.DirFS(dir), ".") },
		name: func(v int) string { return fmt.Sprintf("%05d_table.sql", v) },
		up:   "-- +goose Up\n",
		to: func(t *testing.T, dsn, dir string, version int) (int, error) {
			db, err := sql.Open("pgx", dsn)
			if err != nil {
				return 0, err
			}
			defer db.Close()
			p, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dir))
			if err != nil {
				return 0, err
			}
			if _, err := p.UpTo(bg, int64(version)); err != nil {
				return 0, err
			}
			at, err := p.GetDBVersion(bg)
			return int(at), err
		},
	},
	"golang-migrate": {
		read: func(dir string) (*sqldir.Folder, error) { return sqldir.Migrate(os.DirFS(dir), ".") },
		name: func(v int) string { return fmt.Sprintf("%d_table.up.sql", v) },
		to: func(t *testing.T, dsn, dir string, version int) (int, error) {
			m, err := migrate.New("file://"+dir, "pgx5"+dsn[len("postgres"):])
			if err != nil {
				return 0, err
			}
			defer m.Close()
			if err := m.Migrate(uint(version)); err != nil && !errors.Is(err, migrate.ErrNoChange) {
				return 0, err
			}
			at, dirty, err := m.Version()
			if dirty {
				err = errors.New("dirty")
			}
			return int(at), err
		},
	},
	"tern": {
		read: func(dir string) (*sqldir.Folder, error) { return sqldir.Tern(os.DirFS(dir), ".") },
		name: func(v int) string { return fmt.Sprintf("%03d_table.sql", v) },
		to: func(t *testing.T, dsn, dir string, version int) (int, error) {
			conn, err := pgx.Connect(bg, dsn)
			if err != nil {
				return 0, err
			}
			defer conn.Close(bg)
			m, err := tern.NewMigrator(bg, conn, "public.schema_version")
			if err != nil {
				return 0, err
			}
			if err := m.LoadMigrations(os.DirFS(dir)); err != nil {
				return 0, err
			}
			if err := m.MigrateTo(bg, int32(version)); err != nil {
				return 0, err
			}
			at, err := m.GetCurrentVersion(bg)
			return int(at), err
		},
	},
}

// TestByTurns applies four files: by the tool, by sqldir, by the tool, by
// sqldir. Each statement fails when it runs twice.
func TestByTurns(t *testing.T) {
	for name, tool := range tools {
		for _, first := range []string{"the tool", "sqldir"} {
			t.Run(name+", first "+first, func(t *testing.T) {
				dsn, dir := url(t), t.TempDir()
				for v := 1; v <= 4; v++ {
					text := fmt.Sprintf("%sCREATE TABLE t%d (n int);\n", tool.up, v)
					if err := os.WriteFile(filepath.Join(dir, tool.name(v)), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
					if (v%2 == 1) == (first == "the tool") {
						if at, err := tool.to(t, dsn, dir, v); err != nil || at != v {
							t.Fatalf("version %d by the tool: at %d, %v", v, at, err)
						}
						continue
					}
					rep := apply(t, dsn, dir, tool)
					if s := rep.Stages[0]; s.Outcome != initpipe.Done || s.Total != 1 {
						t.Fatalf("version %d by sqldir: %+v", v, s)
					}
				}
				if at, err := tool.to(t, dsn, dir, 4); err != nil || at != 4 {
					t.Errorf("in the end: at %d, %v", at, err)
				}
			})
		}
	}
}

func url(t *testing.T) string {
	cfg, err := pgx.ParseConfig(testdb.Spare(t))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.IsAbs(cfg.Host) { // a socket
		return fmt.Sprintf("postgres://%s@/%s?host=%s&port=%d&sslmode=disable", cfg.User, cfg.Database, neturl.QueryEscape(cfg.Host), cfg.Port)
	}
	return fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=disable", cfg.User, cfg.Host, cfg.Port, cfg.Database)
}

func apply(t *testing.T, dsn, dir string, tool tool) *initpipe.Report {
	t.Helper()
	folder, err := tool.read(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := initpipe.New(initpipe.Config{Name: "schema", Stages: []initpipe.Stage{folder.Stage("schema")}, Session: locks.SessionConfig{DSN: dsn}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(bg, 10*time.Second)
	defer cancel()
	defer p.Close(ctx)
	rep, err := p.Run(ctx, initpipe.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestAtlasSum reads a folder whose atlas.sum atlas has written.
func TestAtlasSum(t *testing.T) {
	path := t.TempDir()
	dir, err := atlas.NewLocalDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"20260101000000_one.sql", "20260102000000.sql"} {
		if err := dir.WriteFile(f, []byte("CREATE TABLE t"+f[:8]+" (n int);\n")); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := dir.Checksum()
	if err != nil {
		t.Fatal(err)
	}
	if err := atlas.WriteSumFile(dir, sum); err != nil {
		t.Fatal(err)
	}
	folder, err := sqldir.Atlas(os.DirFS(path), ".")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(folder.Files()); got != "[20260101000000_one.sql 20260102000000.sql]" {
		t.Errorf("files %s", got)
	}
	if err := os.WriteFile(filepath.Join(path, "20260102000000.sql"), []byte("DROP TABLE t;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sqldir.Atlas(os.DirFS(path), "."); err == nil {
		t.Error("a changed file was read")
	}
}
