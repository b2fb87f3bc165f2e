// Package pglab starts servers that tests may break: PostgreSQL that restarts
// and is promoted, PgBouncer in each of its modes, networks that are cut.
//
// Programs of the machine enter; connection strings leave. All that a test
// starts ends with the test. The package installs nothing: where a program is
// missing it says how to get it, and fails the test when CI is set.
package pglab

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Env names the variable that holds the connection string of a server that
// tests share.
const Env = "PGLOCKDEP_TEST_DSN"

// Missing ends a test for which the machine lacks something: it fails in CI,
// where somebody counts on it, and is skipped elsewhere.
func Missing(t testing.TB, what, remedy string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing: %s", what, remedy)
	}
	t.Skipf("%s is missing: %s", what, remedy)
}

func program(t testing.TB, name, pkg string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		if p := filepath.Join(dir, name); executable(p) {
			return p
		}
	}
	Missing(t, name, "on Debian: apt-get install "+pkg)
	return ""
}

func executable(p string) bool {
	st, err := os.Stat(p)
	return err == nil && !st.IsDir() && st.Mode()&0o111 != 0
}

// binary returns the path of a program of the newest PostgreSQL.
func binary(t testing.TB, name string) string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/pgsql-*/bin/", "/opt/homebrew/opt/postgresql@*/bin/"} {
		m, _ := filepath.Glob(pattern + name) // fails only for a bad pattern
		found = append(found, m...)
	}
	if len(found) > 0 {
		return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	}
	return program(t, name, "postgresql")
}

func version(path string) int {
	n, _ := strconv.Atoi(strings.Trim(path, "abcdefghijklmnopqrstuvwxyz/-@_")) // 0 when the path has none
	return n
}

// owner returns the attributes of a process that PostgreSQL and PgBouncer are
// content with, which is not root.
func owner(t testing.TB) (attr *syscall.SysProcAttr, uid, gid int) {
	t.Helper()
	attr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, -1, -1
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			return attr, uid, gid
		}
	}
	t.Fatal("PostgreSQL does not run as root, and the machine has neither a user postgres nor nobody")
	return nil, 0, 0
}

// folder makes a folder that the owner can use. Its path is short: a socket
// lives there.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pglab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if _, uid, gid := owner(t); uid >= 0 {
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// run runs a program to its end as the owner.
func run(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = environment(dir)
	cmd.SysProcAttr, _, _ = owner(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, bytes.TrimSpace(out))
	}
}

func environment(dir string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "TZ=UTC"}
}

// A daemon is a program that runs until it is ended.
type daemon struct {
	cmd  *exec.Cmd
	log  *os.File
	done chan struct{}
}

func start(t testing.TB, dir, name string, args ...string) *daemon {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(dir, filepath.Base(name)+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{cmd: exec.Command(name, args...), log: log, done: make(chan struct{})}
	d.cmd.Dir, d.cmd.Env = dir, environment(dir)
	d.cmd.Stdout, d.cmd.Stderr = log, log
	d.cmd.SysProcAttr, _, _ = owner(t)
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		d.cmd.Wait()
		log.Close()
		close(d.done)
	}()
	return d
}

// end sends sig and waits, then makes an end of it.
func (d *daemon) end(sig syscall.Signal) {
	select {
	case <-d.done:
		return
	default:
	}
	d.cmd.Process.Signal(sig)
	select {
	case <-d.done:
	case <-time.After(10 * time.Second):
		syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
		<-d.done
	}
}

// tail returns the end of a log for a failure's message.
func (d *daemon) tail() string {
	f, err := os.Open(d.log.Name())
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() > 4096 {
		f.Seek(-4096, io.SeekEnd)
	}
	b, _ := io.ReadAll(f)
	return string(b)
}

// eventually waits until ready says so.
func eventually(t testing.TB, what string, d *daemon, ready func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case <-d.done:
			t.Fatalf("%s ended: %v\n%s", what, err, d.tail())
		default:
		}
		if err = ready(); err == nil {
			return
		}
	}
	t.Fatalf("%s is not ready: %v\n%s", what, err, d.tail())
}

func url(host string, port int, user, database string) string {
	return fmt.Sprintf("postgres://%s@%s:%d/%s?sslmode=disable", user, host, port, database)
}
