package faults

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// The environment of a child: its server, and its heartbeat, trust and
// server timeout.
const (
	envRole   = "PGLAB_ROLE"
	envDSN    = "PGLAB_DSN"
	envTiming = "PGLAB_TIMING"
)

// child is the program that owns a lock and is killed, stopped or cut off. It
// takes job:a and tells so, and does what the lines of its input say.
func child(string) int {
	ctx := context.Background()
	dsn := os.Getenv(envDSN)
	var d [3]time.Duration
	for i, word := range strings.Fields(os.Getenv(envTiming)) {
		d[i] = must(time.ParseDuration(word))
	}
	locker := must(locks.New(locks.Config{Logger: slog.New(slog.DiscardHandler)}))
	m, err := locker.OpenSessions(ctx, locks.SessionConfig{DSN: dsn, FenceTable: "lock_fence", Heartbeat: d[0], Trust: d[1], ServerTimeout: d[2]})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	s, ok, err := m.TryAcquire(ctx, jobs.Key("a"))
	if !ok {
		fmt.Println("error", ok, err)
		return 1
	}
	pool := must(pgxpool.New(ctx, dsn))
	fmt.Println("held", s.PID(), s.Fence().Token())
	go func() {
		<-s.Lost()
		fmt.Println("lost", time.Now().UnixNano())
	}()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		switch in.Text() {
		case "sleep":
			go func() {
				tx, err := s.BeginTx(ctx, pgx.TxOptions{})
				if err == nil {
					_, err = tx.Exec(ctx, "SELECT pg_sleep(60)")
				}
				fmt.Println("slept", err)
			}()
		case "write":
			err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				if err := s.Fence().Verify(ctx, tx); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, "INSERT INTO writes (token, owner) VALUES ($1, 'child')", s.Fence().Token())
				return err
			})
			switch {
			case err == nil:
				fmt.Println("wrote")
			case errors.Is(err, locks.ErrFenced):
				fmt.Println("fenced")
			default:
				fmt.Println("error", err)
			}
		case "release":
			fmt.Println("released", s.Release(ctx))
		}
	}
	return 0
}

// A proc is a child that runs.
type proc struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    *os.File
	mu    sync.Mutex
	lines []string
	pid   uint32 // of the server's process
	token int64
}

// start runs a child and waits until it holds the lock. wrap makes the
// command that runs the test binary.
func startChild(t *testing.T, dsn string, timing string, wrap func(name string) *exec.Cmd) *proc {
	t.Helper()
	self := must(os.Executable())
	cmd := exec.Command(self)
	if wrap != nil {
		cmd = wrap(self)
	}
	cmd.Env = append(os.Environ(), envRole+"=owner", envDSN+"="+dsn, envTiming+"="+timing)
	cmd.Stderr = os.Stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = r
	out := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	p := &proc{t: t, cmd: cmd, in: w}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, scan.Text())
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		w.Close()
		cmd.Process.Kill()
		<-done
		cmd.Wait()
	})
	words := strings.Fields(p.wait("held"))
	p.pid = uint32(must(strconv.ParseUint(words[1], 10, 32)))
	p.token = must(strconv.ParseInt(words[2], 10, 64))
	return p
}

func (p *proc) say(line string) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		p.t.Fatal(err)
	}
}

// said returns the child's line that begins with word, "" when there is none.
func (p *proc) said(word string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.lines {
		if strings.HasPrefix(line, word) {
			return line
		}
	}
	return ""
}

func (p *proc) wait(word string) string {
	p.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if line := p.said(word); line != "" {
			return line
		}
		if line := p.said("error"); line != "" {
			p.t.Fatalf("the child: %s", line)
		}
	}
	p.t.Fatalf("the child did not say %q but %q", word, p.lines)
	return ""
}
