// Package testdb gives each test an empty database with the migrations applied,
// and records the locks of every statement that is run on it.
package testdb

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"example.test/memberconsole/internal/ids"
	"example.test/memberconsole/internal/lockrecorder"
	"example.test/memberconsole/migrations"
)

// Env names the variable that holds the DSN of a server on which databases may
// be created.
const Env = "PGLOCKDEP_TEST_DSN"

// DB is the database of one test. The embedded handle is recorded; Plain, for
// fixtures and assertions, is not.
type DB struct {
	*sql.DB
	Plain    *sql.DB
	Recorder *lockrecorder.Recorder
}

// shared is the database of this process, held by one test at a time.
var shared struct {
	sync.Mutex
	cfg *pgx.ConnConfig
}

// Main runs the tests of a package and drops the database they shared.
func Main(m *testing.M) {
	code := m.Run()
	if shared.cfg != nil {
		if err := drop(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "testdb:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// New gives t an empty database with the migrations applied. The tests of a
// package take turns with one database, which a test that failed leaves to no
// other. New skips t when no server is named.
func New(t *testing.T) *DB {
	t.Helper()
	dsn := os.Getenv(Env)
	if dsn == "" {
		t.Skip("skipped: " + Env + " names no PostgreSQL server to create test databases on")
	}
	if !shared.TryLock() {
		t.Fatal("testdb: two tests of one package want a database at once")
	}
	t.Cleanup(shared.Unlock)
	ctx := context.Background()
	if err := prepare(ctx, dsn); err != nil {
		t.Fatalf("testdb: %v", err)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		if err := drop(ctx); err != nil {
			t.Errorf("testdb: %v", err)
		}
	})
	rec, err := lockrecorder.New(ctx, shared.cfg, t.Name(), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{
		DB:       sql.OpenDB(rec.Connector(*shared.cfg)),
		Plain:    sql.OpenDB(stdlib.GetConnector(*shared.cfg)),
		Recorder: rec,
	}
	t.Cleanup(func() {
		_ = db.DB.Close()
		_ = db.Plain.Close()
		rec.Close(ctx)
	})
	return db
}

// empty empties every table of the program.
const empty = `
DO $$
DECLARE
    v_tables text;
BEGIN
    SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') INTO v_tables
    FROM pg_tables WHERE schemaname IN ('core', 'stripe', 'integration', 'fedwiki', 'domains');
    EXECUTE 'TRUNCATE ' || v_tables || ' RESTART IDENTITY CASCADE';
END;
$$`

// prepare makes the shared database, or empties it.
func prepare(ctx context.Context, dsn string) error {
	if shared.cfg != nil {
		return on(ctx, shared.cfg, func(conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, empty)
			return err
		})
	}
	admin, err := pgx.ParseConfig(dsn)
	if err != nil {
		return fmt.Errorf("%s: %w", Env, err)
	}
	cfg := admin.Copy()
	cfg.Database = "console_" + strings.ReplaceAll(ids.New(), "-", "")
	err = on(ctx, admin, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE DATABASE "+cfg.Database)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", Env, err)
	}
	shared.cfg = cfg
	return on(ctx, cfg, func(conn *pgx.Conn) error { return applyMigrations(ctx, conn, migrations.Files) })
}

// drop drops the shared database.
func drop(ctx context.Context) error {
	name := shared.cfg.Database
	shared.cfg = nil
	admin, err := pgx.ParseConfig(os.Getenv(Env))
	if err != nil {
		return err
	}
	return on(ctx, admin, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		return err
	})
}

func on(ctx context.Context, cfg *pgx.ConnConfig, fn func(*pgx.Conn) error) error {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return fn(conn)
}

// One reads a single value through the plain handle.
func One[T any](t *testing.T, db *DB, query string, args ...any) T {
	t.Helper()
	var v T
	if err := db.Plain.QueryRow(query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// Run runs a statement through the plain handle.
func Run(t *testing.T, db *DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Plain.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}
