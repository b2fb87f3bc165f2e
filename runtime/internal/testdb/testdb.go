// Package testdb gives tests a PostgreSQL server: the one that
// PGLOCKDEP_TEST_DSN names, else a throwaway one of the repository's runner.
//
// A test binary enters; a connection string, a database of one test, or a
// pool on it leaves. Only tests import the package. It never skips: without a
// server the tests fail.
package testdb

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Env names the variable with the connection string of a superuser.
const Env = "PGLOCKDEP_TEST_DSN"

// Main runs the tests of a package. Without a server it runs the test binary
// again under the runner that starts one.
func Main(m *testing.M) {
	if os.Getenv(Env) == "" {
		os.Exit(underServer())
	}
	code := m.Run()
	dropSpare()
	if left := leaked(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines of the package are left:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

func underServer() int {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	here, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	cmd := exec.Command("go", append([]string{"run", "./internal/pgtest/run", "--", "-C", here}, os.Args...)...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = root, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "testdb: %v\n", err)
		return 1
	}
	return 0
}

// leaked returns the stacks of goroutines that run code of this module,
// other than the one that asks, once they had time to end.
func leaked() string {
	var left []string
	for range 100 {
		buf := make([]byte, 1<<20)
		left = nil
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")[1:] {
			if strings.Contains(g, "pglockdep/runtime/") {
				left = append(left, g)
			}
		}
		if left == nil {
			return ""
		}
		time.Sleep(20 * time.Millisecond)
	}
	return strings.Join(left, "\n\n")
}

// DSN returns the connection string of the server's superuser.
func DSN(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv(Env)
	if dsn == "" {
		t.Fatal("no server; the package's TestMain must call testdb.Main")
	}
	return dsn
}

var count atomic.Int64

// Database makes a database for t, dropped when t ends, and returns its
// connection string. options follow CREATE DATABASE.
func Database(t testing.TB, options string) string {
	t.Helper()
	dsn := create(t, options)
	t.Cleanup(func() {
		cfg, err := pgx.ParseConfig(dsn)
		if err == nil {
			err = drop(cfg.Database)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return dsn
}

func create(t testing.TB, options string) string {
	t.Helper()
	ctx := context.Background()
	cfg, err := pgx.ParseConfig(DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(ctx)
	name := fmt.Sprintf("locks_%d_%d", os.Getpid(), count.Add(1))
	if _, err := admin.Exec(ctx, "create database "+name+" "+options); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("host=%s port=%d user=%s dbname=%s sslmode=disable", cfg.Host, cfg.Port, cfg.User, name)
}

func drop(name string) error {
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, os.Getenv(Env))
	if err != nil {
		return err
	}
	defer admin.Close(ctx)
	_, err = admin.Exec(ctx, "drop database "+name+" with (force)")
	return err
}

// spare are databases that no test uses now.
var spare struct {
	sync.Mutex
	dsns []string
}

// Spare returns the connection string of an empty database, which t has for
// itself. Unlike that of Database it is kept for the next test: what schemas
// hold is dropped, which takes a tenth of the time.
func Spare(t testing.TB) string {
	t.Helper()
	spare.Lock()
	var dsn string
	if n := len(spare.dsns); n > 0 {
		dsn, spare.dsns = spare.dsns[n-1], spare.dsns[:n-1]
	}
	spare.Unlock()
	if dsn == "" {
		dsn = create(t, "")
	}
	t.Cleanup(func() {
		if err := empty(dsn); err != nil {
			t.Error(err)
			return
		}
		spare.Lock()
		defer spare.Unlock()
		spare.dsns = append(spare.dsns, dsn)
	})
	return dsn
}

// empty ends the sessions of a database and drops its schemas.
func empty(dsn string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `DO $$
DECLARE s name;
BEGIN
	PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
	FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
		EXECUTE format('DROP SCHEMA %I CASCADE', s);
	END LOOP;
	CREATE SCHEMA public;
	GRANT USAGE ON SCHEMA public TO PUBLIC;
END $$`)
	return err
}

func dropSpare() {
	for _, dsn := range spare.dsns {
		cfg, err := pgx.ParseConfig(dsn)
		if err != nil {
			continue
		}
		if err := drop(cfg.Database); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// Pool opens a pool on a database, closed when t ends.
func Pool(t testing.TB, dsn string, change ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(cfg)
	}
	p, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closed := make(chan struct{})
		go func() { p.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(5 * time.Second):
			t.Error("a connection of the pool was not given back")
		}
	})
	return p
}
