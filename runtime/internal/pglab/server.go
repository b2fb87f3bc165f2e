package pglab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Server is a PostgreSQL server of one test.
type Server struct {
	Host string
	Port int

	t        testing.TB
	dir      string
	settings []string
	d        *daemon
}

// NewServer makes and starts a server with settings ("name=value") on top of
// those that make it quick.
func NewServer(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := &Server{Host: "127.0.0.1", Port: freePort(t), t: t, dir: folder(t), settings: settings}
	run(t, s.dir, binary(t, "initdb"), "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	hba, err := os.OpenFile(filepath.Join(s.data(), "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(hba, "host all all 0.0.0.0/0 trust\nhost replication all 127.0.0.1/32 trust")
	hba.Close()
	s.Start()
	t.Cleanup(func() { s.Stop(syscall.SIGQUIT) })
	return s
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// DSN returns the connection string of the superuser.
func (s *Server) DSN() string { return url(s.Host, s.Port, "postgres", "postgres") }

// Start starts a stopped server on its old port.
func (s *Server) Start() {
	s.t.Helper()
	args := []string{"-D", s.data(), "-p", fmt.Sprint(s.Port)}
	for _, setting := range append([]string{
		"listen_addresses=*", "unix_socket_directories=", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
		"autovacuum=off", "max_connections=60", "shared_buffers=32MB", "logging_collector=off", "wal_level=replica", "max_wal_senders=4",
		"hot_standby=on",
	}, s.settings...) {
		args = append(args, "-c", setting)
	}
	s.d = start(s.t, s.dir, binary(s.t, "postgres"), args...)
	eventually(s.t, "postgres", s.d, func() error { return ping(s.DSN()) })
}

// Stop ends the server by SIGINT (fast), SIGQUIT (immediate) or SIGKILL.
func (s *Server) Stop(sig syscall.Signal) { s.d.end(sig) }

// NewStandby makes and starts a streaming standby of s.
func (s *Server) NewStandby(t testing.TB) *Server {
	t.Helper()
	r := &Server{Host: s.Host, Port: freePort(t), t: t, dir: folder(t), settings: s.settings}
	run(t, r.dir, binary(t, "pg_basebackup"), "-D", r.data(), "-h", s.Host, "-p", fmt.Sprint(s.Port), "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync")
	r.Start()
	t.Cleanup(func() { r.Stop(syscall.SIGQUIT) })
	return r
}

// Promote makes a standby a primary and waits until it takes writes.
func (s *Server) Promote() {
	s.t.Helper()
	run(s.t, s.dir, binary(s.t, "pg_ctl"), "promote", "-D", s.data(), "-w")
}

func ping(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.Ping(ctx)
}

// Shared returns the connection string of the server that Env names, else of
// a new one.
func Shared(t testing.TB) string {
	t.Helper()
	if dsn := os.Getenv(Env); dsn != "" {
		return dsn
	}
	return NewServer(t).DSN()
}
