package initcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

func TestMain(m *testing.M) { testdb.Main(m) }

// A shell runs the command on one database.
type shell struct {
	t     *testing.T
	dsn   string
	stage func(context.Context, pgx.Tx, *initpipe.Progress) error
}

func (s *shell) configure(log *slog.Logger) (initpipe.Config, error) {
	return initpipe.Config{Name: "content", Session: locks.SessionConfig{DSN: s.dsn}, Logger: log,
		Stages: []initpipe.Stage{{Name: "seed", Run: s.stage}}}, nil
}

func (s *shell) run(want int, args ...string) (stdout, stderr string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var out, log bytes.Buffer
	if got := Run(ctx, args, &out, &log, s.configure); got != want {
		s.t.Errorf("%q: exit code %d, want %d\n%s", args, got, want, log.String())
	}
	return out.String(), log.String()
}

func TestCodes(t *testing.T) {
	s := &shell{t: t, dsn: testdb.Spare(t), stage: initpipe.Exec("CREATE TABLE course (n int)")}
	if out, _ := s.run(OK, "-status"); !strings.Contains(out, `"status":"pending"`) {
		t.Errorf("status: %s", out)
	}
	if out, _ := s.run(OK, "-dry-run"); !strings.Contains(out, `"outcome":"dry-run"`) {
		t.Errorf("dry run: %s", out)
	}
	out, log := s.run(OK, "-actor", "job 7")
	if !strings.Contains(out, `"outcome":"succeeded"`) || !strings.Contains(out, `"actor":"job 7"`) {
		t.Errorf("report: %s", out)
	}
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	if out, _ := s.run(OK); !strings.Contains(out, `"outcome":"unchanged"`) {
		t.Errorf("again: %s", out)
	}
	if out, log := s.run(StageFailed, "-from", "seed"); !strings.Contains(out, `"sqlstate":"42P07"`) || !strings.Contains(log, "rolled back") {
		t.Errorf("failure: %s %s", out, log)
	}
	s.run(Refused, "-from", "nothing", "-wait", "0s")
	s.run(Usage, "-nothing")
	s.run(Usage, "nothing")
	s.run(OK, "-help")
	(&shell{t: t, dsn: s.dsn}).run(Usage)
}

func TestWaitsForTheDatabase(t *testing.T) {
	s := &shell{t: t, dsn: "host=127.0.0.1 port=1 user=x dbname=x sslmode=disable", stage: initpipe.Exec("SELECT 1")}
	begun := time.Now()
	s.run(Unreachable, "-wait", "1200ms")
	s.run(Unreachable, "-wait", "0s", "-status")
	if took := time.Since(begun); took < 1200*time.Millisecond || took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestWaitsForAnotherRun(t *testing.T) {
	reached, open := make(chan struct{}, 1), make(chan error)
	s := &shell{t: t, dsn: testdb.Spare(t), stage: func(ctx context.Context, tx pgx.Tx, _ *initpipe.Progress) error {
		reached <- struct{}{}
		return <-open
	}}
	first := make(chan struct{})
	go func() { s.run(OK); close(first) }()
	<-reached
	s.run(Busy, "-wait", "10ms")
	second := make(chan string)
	go func() {
		out, _ := s.run(OK, "-wait", "20s")
		second <- out
	}()
	time.Sleep(50 * time.Millisecond)
	open <- nil
	<-first
	if out := <-second; !strings.Contains(out, `"outcome":"unchanged"`) {
		t.Errorf("the second: %s", out)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &shell{t: t, dsn: testdb.Spare(t), stage: func(ctx context.Context, _ pgx.Tx, _ *initpipe.Progress) error {
		cancel()
		<-ctx.Done()
		return errors.New("stopped")
	}}
	var out, log bytes.Buffer
	if got := Run(ctx, nil, &out, &log, s.configure); got != StageFailed || !strings.Contains(out.String(), `"outcome":"cancelled"`) {
		t.Errorf("exit code %d: %s %s", got, out.String(), log.String())
	}
}
