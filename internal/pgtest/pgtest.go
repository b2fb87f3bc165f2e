// Package pgtest starts a throwaway PostgreSQL server for tests.
//
// Server programs of the machine enter; the connection string of a server
// that lives in a temporary folder leaves. Where the programs are missing and
// the process may install packages (root on Debian), it installs them. The
// package opens no connection and creates no objects: that is for the tests.
package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Env names the variable that holds the connection string of a server to use
// instead of a new one. Its role must be a superuser.
const Env = "PGLOCKDEP_TEST_DSN"

// Start returns the connection string of a server for t: the one that Env
// names, else a new one that stops when t ends. Databases made on it must be
// dropped by the test, since the server may be shared.
func Start(t testing.TB) (dsn string) {
	t.Helper()
	if dsn := os.Getenv(Env); dsn != "" {
		return dsn
	}
	s, err := Launch(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s.DSN
}

// A Server is one running server.
type Server struct {
	DSN string // of its superuser and the database postgres
	Bin string // folder of its programs

	dir  string
	proc *process
}

const (
	attempts   = 3 // another process may take the free port first
	startLimit = time.Minute
)

// Launch starts a server; installing packages, if it comes to that, is told
// on progress.
func Launch(progress io.Writer) (*Server, error) {
	bin, err := programs(progress)
	if err != nil {
		return nil, err
	}
	owner, err := serverUser()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, fmt.Errorf("pgtest: %w", err)
	}
	s := &Server{Bin: bin, dir: dir}
	if err := s.create(owner); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	for i := 1; ; i++ {
		if err = s.start(owner); err == nil {
			return s, nil
		}
		if i == attempts {
			os.RemoveAll(dir)
			return nil, err
		}
	}
}

// create makes the data folder.
func (s *Server) create(owner *user) error {
	if err := owner.own(s.dir); err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	cmd := s.command(owner, "initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pgtest: initdb: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(owner *user, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.Bin, name), args...)
	cmd.Dir = s.dir // the working folder of root may be closed to the owner
	// Settings of the caller's own server must not reach this one.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "LC_ALL=C", "TZ=UTC"}
	owner.run(cmd)
	return cmd
}

// start runs the server on a free port and waits until it takes connections.
func (s *Server) start(owner *user) error {
	port, err := freePort()
	if err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	args := []string{"-D", s.data(), "-p", fmt.Sprint(port)}
	for _, setting := range []string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=" + s.sockets(),
		"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off",
		"max_connections=200", "shared_buffers=64MB", "logging_collector=off", "log_destination=stderr",
	} {
		args = append(args, "-c", setting)
	}
	s.proc, err = launch(s.command(owner, "postgres", args...))
	if err != nil {
		return fmt.Errorf("pgtest: starting postgres: %w", err)
	}
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	select {
	case <-s.proc.log.ready:
		s.DSN = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
		return nil
	case <-s.proc.done:
		return fmt.Errorf("pgtest: postgres did not start: %v\n%s", s.proc.err, s.proc.log.tail())
	case <-limit.C:
		s.proc.kill()
		return fmt.Errorf("pgtest: postgres took no connections within %v\n%s", startLimit, s.proc.log.tail())
	}
}

// sockets is the folder of the server's socket; empty, no socket, where its
// path would be longer than the kernel allows.
func (s *Server) sockets() string {
	const longest = 107 - len("/.s.PGSQL.65535.lock")
	if len(s.dir) > longest {
		return ""
	}
	return s.dir
}

// Stop ends the server without care for its data, and removes it.
func (s *Server) Stop() error {
	s.proc.kill()
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// A process is a running server program.
type process struct {
	cmd  *exec.Cmd
	log  *serverLog
	done chan struct{}
	err  error // once done
}

func newProcess(cmd *exec.Cmd) *process {
	p := &process{cmd: cmd, log: &serverLog{ready: make(chan struct{})}, done: make(chan struct{})}
	cmd.Stderr = p.log
	return p
}

// kill ends the server at once. SIGQUIT is its immediate shutdown, in which
// it ends its children too.
func (p *process) kill() {
	select {
	case <-p.done:
		return
	default:
	}
	if err := quit(p.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.cmd.Process.Kill()
	}
	<-p.done
}

// A serverLog watches the log for the line that says the server is ready,
// and keeps its end.
type serverLog struct {
	mu    sync.Mutex
	text  []byte
	told  bool
	ready chan struct{}
}

const keptLog = 4096

func (l *serverLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	if !l.told && bytes.Contains(l.text, []byte("database system is ready to accept connections")) {
		l.told = true
		close(l.ready)
	}
	if len(l.text) > 2*keptLog {
		l.text = append([]byte(nil), l.text[len(l.text)-keptLog:]...)
	}
	return len(b), nil
}

func (l *serverLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(bytes.TrimSpace(l.text))
}
