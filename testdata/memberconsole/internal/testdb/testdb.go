// Package testdb gives each test a database of its own, with the migrations
// applied and every statement's locks recorded.
package testdb

import (
	"context"
	"database/sql"
	"os"
	"strings"
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

// New creates a database for t and drops it when t is done. It skips t when no
// server is named.
func New(t *testing.T) *DB {
	t.Helper()
	dsn := os.Getenv(Env)
	if dsn == "" {
		t.Skip("skipped: " + Env + " names no PostgreSQL server to create test databases on")
	}
	ctx := context.Background()
	admin, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatalf("%s: %v", Env, err)
	}
	cfg := admin.Copy()
	cfg.Database = "console_" + strings.ReplaceAll(ids.New(), "-", "")
	onServer(t, admin, "CREATE DATABASE "+cfg.Database)
	t.Cleanup(func() { onServer(t, admin, "DROP DATABASE "+cfg.Database+" WITH (FORCE)") })

	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(ctx)
	if err := applyMigrations(ctx, conn, migrations.Files); err != nil {
		t.Fatalf("migrations: %v", err)
	}
	rec, err := lockrecorder.New(ctx, cfg, t.Name(), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{DB: sql.OpenDB(rec.Connector(*cfg)), Plain: sql.OpenDB(stdlib.GetConnector(*cfg)), Recorder: rec}
	t.Cleanup(func() {
		_ = db.DB.Close()
		_ = db.Plain.Close()
		rec.Close(ctx)
	})
	return db
}

func onServer(t *testing.T, cfg *pgx.ConnConfig, statement string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		t.Fatalf("%s: connect: %v", Env, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
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
