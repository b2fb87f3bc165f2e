package pglab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// BouncerVersion returns the version of the PgBouncer that is installed.
func BouncerVersion(t testing.TB) string {
	t.Helper()
	out, err := exec.Command(program(t, "pgbouncer", "pgbouncer"), "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimPrefix(first, "PgBouncer ")
}

// NewBouncer starts a PgBouncer of mode session, transaction or statement
// with pools of size in front of the database that dsn names, and returns a
// connection string that leads through it.
func NewBouncer(t testing.TB, dsn, mode string, size int) string {
	t.Helper()
	name := program(t, "pgbouncer", "pgbouncer")
	server, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	dir, port := folder(t), freePort(t)
	ini := strings.Join([]string{
		"[databases]",
		fmt.Sprintf("lab = host=%s port=%d dbname=%s user=%s", server.Host, server.Port, server.Database, server.User),
		"[pgbouncer]",
		"listen_addr = 127.0.0.1",
		fmt.Sprintf("listen_port = %d", port),
		"unix_socket_dir =",
		"auth_type = any",
		"pool_mode = " + mode,
		fmt.Sprintf("default_pool_size = %d", size),
		"max_client_conn = 200",
		"query_wait_timeout = 10",
	}, "\n") + "\n"
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(ini), 0o644); err != nil {
		t.Fatal(err)
	}
	d := start(t, dir, name, file)
	t.Cleanup(func() { d.end(syscall.SIGTERM) })
	through := url("127.0.0.1", port, server.User, "lab")
	eventually(t, "pgbouncer", d, func() error { return ping(through + "&default_query_exec_mode=exec") })
	return through
}
