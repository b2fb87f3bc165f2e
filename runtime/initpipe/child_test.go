package initpipe

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

const envChild = "INITPIPE_CHILD"

// A childConfig says what a program of its own does: serve the pipeline, or
// run it. At Point, as in "inside seed", it says so and stands still;
// "statement seed" is a statement that takes a minute.
type childConfig struct {
	DSN   string
	OneTx bool
	Serve bool
	Gate  bool // the seed waits for an advisory lock of the test
	Point string
	Beat  time.Duration // 0: the default
}

const gateKey = 4711

func child() int {
	var c childConfig
	if err := json.Unmarshal([]byte(os.Getenv(envChild)), &c); err != nil {
		fmt.Println("error", err)
		return 2
	}
	var p *Pipeline
	at := func(point, stage string) {
		if point+" "+stage == c.Point {
			fmt.Println("at", c.Point)
			select {}
		}
	}
	p = must(New(Config{Name: "content", OneTx: c.OneTx, LockTimeout: time.Minute, Logger: slog.New(slog.DiscardHandler),
		Session: locks.SessionConfig{DSN: c.DSN, Heartbeat: c.Beat},
		Stages: content(func(ctx context.Context, tx pgx.Tx, _ *Progress) error {
			at("inside", "seed")
			var err error
			switch {
			case c.Point == "statement seed":
				fmt.Println("at", c.Point)
				_, err = tx.Exec(ctx, `SELECT pg_sleep(60)`)
			case c.Gate:
				_, err = tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared($1)`, gateKey)
			}
			return err
		})}))
	p.hook = at
	if !c.Serve {
		rep, err := p.Run(context.Background(), Request{Actor: "child"})
		if err != nil {
			fmt.Println("ended", err)
			return 1
		}
		fmt.Println("ended", rep.Outcome)
		return 0
	}
	h := must(p.Handler(HandlerConfig{Authenticate: Anonymous, CSRF: NoCSRF}))
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println("listening", l.Addr())
	fmt.Println("error", http.Serve(l, h))
	return 1
}

// A proc is a child that runs.
type proc struct {
	t   testing.TB
	cmd *exec.Cmd

	mu    sync.Mutex
	lines []string
	ended chan struct{}
}

func spawn(t testing.TB, c childConfig, wrap func(string) *exec.Cmd) *proc {
	t.Helper()
	self := must(os.Executable())
	cmd := exec.Command(self)
	if wrap != nil {
		cmd = wrap(self)
	}
	cmd.Env = append(os.Environ(), envChild+"="+string(must(json.Marshal(c))))
	cmd.Stderr = os.Stderr
	out := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &proc{t: t, cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, scan.Text())
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-p.ended
		cmd.Wait()
	})
	return p
}

// wait returns what follows word in the first line that begins with it.
func (p *proc) wait(word string) (rest string) {
	p.t.Helper()
	within(p.t, 30*time.Second, "the child says "+word, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, line := range p.lines {
			if first, after, _ := strings.Cut(line, " "); first == word {
				rest = after
				return true
			}
			if strings.HasPrefix(line, "error") {
				p.t.Fatal(line)
			}
		}
		return false
	})
	return rest
}
