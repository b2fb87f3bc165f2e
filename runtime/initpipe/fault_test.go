package initpipe

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

// freeWithin is how long the lock of a dead program is held at most: the
// server looks after a client inside of a statement each half second.
const freeWithin = 5 * time.Second

// TestKilled kills programs with SIGKILL at each boundary of a stage, inside
// of it and inside of a statement.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		point   string
		staged  string // what the next owner records of the dead run
		courses int
	}{
		{"before create", "create not-run, seed not-run, finish not-run", -1},
		{"before seed", "create done, seed not-run, finish not-run", 0},
		{"inside seed", "create done, seed rolled-back, finish not-run", 0},
		{"statement seed", "create done, seed rolled-back, finish not-run", 0},
		{"commit seed", "create done, seed rolled-back, finish not-run", 0},
		{"after seed", "create done, seed done, finish not-run", 3},
		{"after finish", "create done, seed done, finish done", 3},
		{"unlock ", "", 3},
	} {
		t.Run(strings.TrimSpace(c.point), func(t *testing.T) {
			modes(t, func(t *testing.T, w *world, mode func(*Config)) {
				whole := w.pipeline(content(nil), mode).cfg.OneTx
				if whole && (strings.HasPrefix(c.point, "commit") || strings.HasPrefix(c.point, "unlock")) {
					t.SkipNow() // points of the other mode
				}
				dead := spawn(t, childConfig{DSN: w.dsn, OneTx: whole, Point: c.point}, nil)
				dead.wait("at")
				p := w.pipeline(content(nil), mode)
				if _, err := p.Run(bg, Request{}); !errors.Is(err, ErrInProgress) {
					t.Fatalf("while it lives: %v", err)
				}
				dead.cmd.Process.Kill()
				within(t, freeWithin, "the lock is free", func() bool { return w.owner(p) == 0 })
				want, left := c.staged, c.courses
				if whole {
					want, left = "", -1
				}
				if w.courses() != left {
					t.Errorf("%d courses are left, want %d", w.courses(), left)
				}
				if st := status(t, p); want != "" && st.Status != StatusInterrupted || want == "" && st.Status == StatusRunning {
					t.Errorf("status %s", st.Status)
				}
				rep, err := p.Run(bg, Request{})
				if err != nil {
					t.Fatal(err)
				}
				if w.courses() != 3 {
					t.Errorf("%d courses", w.courses())
				}
				if want == "" {
					if len(rep.Abandoned) != 0 {
						t.Errorf("abandoned %v", rep.Abandoned)
					}
					return
				}
				if !slices.Equal(rep.Abandoned, []int64{1}) {
					t.Errorf("abandoned %v", rep.Abandoned)
				}
				if got := get[string](w, `SELECT r.outcome || ': ' || string_agg(name || ' ' || s.outcome, ', ' ORDER BY position)
					FROM initpipe_run r JOIN initpipe_stage s ON s.run = r.id WHERE r.id = 1 GROUP BY r.id`); got != "abandoned: "+want {
					t.Errorf("recorded %q, want %q", got, want)
				}
				w.free()
			})
		})
	}
}

// TestTerminated ends the server process of a run at each boundary. The
// program lives, so it records the end itself as the next owner of the lock.
func TestTerminated(t *testing.T) {
	for point, staged := range map[string]string{
		"before seed":  "create done, seed rolled-back, finish not-run",
		"inside seed":  "create done, seed rolled-back, finish not-run",
		"commit seed":  "create done, seed rolled-back, finish not-run",
		"after seed":   "create done, seed done, finish not-run",
		"after finish": "create done, seed done, finish done",
	} {
		t.Run(point, func(t *testing.T) {
			modes(t, func(t *testing.T, w *world, mode func(*Config)) {
				p, want := (*Pipeline)(nil), staged
				at := func(here, stage string) {
					if here+" "+stage == point {
						w.exec(`SELECT pg_terminate_backend($1)`, w.owner(p))
					}
				}
				p = w.pipeline(content(flawAt(func() { at("inside", "seed") })), mode)
				p.hook = at
				if p.cfg.OneTx {
					if point == "commit seed" {
						t.SkipNow()
					}
					want = "create rolled-back, seed rolled-back, finish not-run"
					if point == "after finish" {
						want = "create rolled-back, seed rolled-back, finish rolled-back"
					}
				}
				rep, err := p.Run(bg, Request{})
				if err == nil || rep.Outcome != Failed {
					t.Fatalf("%+v %v", rep, err)
				}
				o, stages := w.recorded()
				if o != Failed || strings.Replace(stages, "before", "not-run", 1) != want {
					t.Errorf("recorded %s: %s, want %s", o, stages, want)
				}
				if rep.Warning != "" {
					t.Errorf("warning %q", rep.Warning)
				}
				w.free()
				if next := runs(t, w.pipeline(content(nil), mode), nextOutcome(want)); len(next.Abandoned) != 0 || w.courses() != 3 {
					t.Errorf("abandoned %v, %d courses", next.Abandoned, w.courses())
				}
			})
		})
	}
}

func nextOutcome(stages string) Outcome {
	if stages == "create done, seed done, finish done" {
		return Unchanged
	}
	return Succeeded
}

// TestCommitInDoubt loses the answer of a commit: whether it took place, the
// tables tell.
func TestCommitInDoubt(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		w.exec(`CREATE TABLE course (name text PRIMARY KEY, done boolean NOT NULL DEFAULT false)`)
		// The commit itself waits, and its session is ended meanwhile.
		w.exec(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NULL; END $$`)
		w.exec(`CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON course DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`)
		lock := must(w.pool.Acquire(bg))
		defer lock.Release()
		must(lock.Exec(bg, `SELECT pg_advisory_lock(4711)`))
		p := w.pipeline(content(nil), mode)
		done := start(p)
		within(t, 30*time.Second, "the commit waits", func() bool {
			return get[bool](w, `SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
				WHERE datname = current_database() AND locktype = 'advisory' AND objid = 4711 AND NOT granted)`)
		})
		pid := w.owner(p)
		w.exec(`SELECT pg_terminate_backend($1)`, pid)
		within(t, 30*time.Second, "the session ends", func() bool {
			return !get[bool](w, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)`, pid)
		})
		must(lock.Exec(bg, `SELECT pg_advisory_unlock_all()`))
		if err := <-done; err == nil {
			t.Fatal("no error")
		}
		if o, stages := w.recorded(); o != Failed || !strings.Contains(stages, "seed rolled-back") {
			t.Errorf("recorded %s: %s", o, stages)
		}
		if w.courses() != 0 {
			t.Errorf("%d courses", w.courses())
		}
		runs(t, p, Succeeded)
	})
}

// TestCommitTookPlace loses the answer of a commit that did.
func TestCommitTookPlace(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		var conn *pgx.Conn
		p := w.pipeline(content(func(_ context.Context, tx pgx.Tx, _ *Progress) error {
			conn = tx.Conn()
			return nil
		}), mode)
		p.hook = func(point, stage string) {
			if point == "commit" && (stage == "seed" || p.cfg.OneTx) {
				must(conn.Exec(bg, "COMMIT"))
				conn.Close(bg)
			}
		}
		rep, err := p.Run(bg, Request{})
		if p.cfg.OneTx {
			if err != nil || rep.Outcome != Succeeded || rep.Error != "" {
				t.Errorf("%+v, %v", rep, err)
			}
			w.wantRecorded(Succeeded, "create done, seed done, finish done")
		} else {
			if s := stageError(t, err); s.Outcome != Done {
				t.Errorf("%+v", s)
			}
			w.wantRecorded(Failed, "create done, seed done, finish not-run")
			if words := must(newPage(Text{})).live(p.State(bg)).Alert; !strings.Contains(words, English.Kept) {
				t.Errorf("the page says %q", words)
			}
			p.hook = func(string, string) {}
			wantOutcomes(t, runs(t, p, Succeeded).Stages, "create up-to-date, seed up-to-date, finish done")
		}
		if w.courses() != 3 {
			t.Errorf("%d courses", w.courses())
		}
		w.free()
	})
}

// TestRestoredDump finds a run recorded as running that this server never
// had, with the process id of a session that is alive.
func TestRestoredDump(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		p := w.pipeline(content(nil), mode)
		runs(t, p, Succeeded)
		w.exec(`INSERT INTO initpipe_run (pipeline, outcome, owner, actor, pid, session_start) SELECT 'content', 'running', 'old@host:1', 'carol', pg_backend_pid(), now() - interval '1 year'`)
		w.exec(`INSERT INTO initpipe_stage (run, position, name, title, version, outside, outcome) VALUES (2, 0, 'create', 'create', 2, false, 'running'), (2, 1, 'seed', 'seed', 2, false, 'pending')`)
		if st := status(t, p); st.Status != StatusInterrupted {
			t.Errorf("status %s", st.Status)
		}
		rep := runs(t, p, Unchanged)
		if !slices.Equal(rep.Abandoned, []int64{2}) || w.count(FoundAbandoned) != 1 {
			t.Errorf("abandoned %v", rep.Abandoned)
		}
		w.wantRecorded(Abandoned, "create rolled-back, seed not-run")
		if st := status(t, p); st.Status != StatusInitialised {
			t.Errorf("status %s", st.Status)
		}
		if w.tables(); w.courses() != 3 {
			t.Errorf("%d courses", w.courses())
		}
	})
}

func TestLongHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pipeline(content(nil))
	runs(t, p, Succeeded)
	w.exec(`INSERT INTO initpipe_run (pipeline, outcome, owner, actor, pid, ended_at)
		SELECT CASE WHEN n % 2 = 0 THEN 'content' ELSE 'other' END, 'failed', 'x@y:1', 'alice', 1, clock_timestamp() FROM generate_series(1, 10000) n`)
	w.exec(`INSERT INTO initpipe_stage (run, position, name, title, version, outside, outcome)
		SELECT id, p, 'seed', 'seed', 1, false, 'rolled-back' FROM initpipe_run, generate_series(0, 2) p WHERE id > 1`)
	w.exec(`ANALYZE`)
	status(t, p)
	var took []time.Duration
	for range 11 {
		begun := time.Now()
		if st := status(t, p); len(st.History) != historyShown {
			t.Fatalf("%d runs are shown", len(st.History))
		}
		runs(t, p, Unchanged)
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	t.Logf("state and a run without work beside 10,000 rows: %v (median)", took[5])
	if took[0] > 2*time.Second { // many times what it takes on a machine with other work
		t.Errorf("%v", took)
	}
}

func TestPoolers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode    string
		whole   bool
		refused error
	}{
		{"session", false, nil}, {"session", true, nil},
		{"transaction", false, locks.ErrPooled}, {"transaction", true, nil},
		{"statement", false, locks.ErrPooled}, {"statement", true, locks.ErrPooled},
	} {
		name := c.mode + " staged"
		if c.whole {
			name = c.mode + " whole"
		}
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			through := pglab.NewBouncer(t, w.dsn, c.mode, 10)
			via := func(cfg *Config) { cfg.Session.DSN, cfg.OneTx = through, c.whole }
			f, reached, open := gate()
			p := w.pipeline(content(f), via)
			if c.refused != nil {
				_, err := p.Run(bg, Request{})
				if !errors.Is(err, c.refused) || !strings.Contains(err.Error(), "a pooler in "+c.mode+" mode") || w.tables() != 0 {
					t.Errorf("error %v", err)
				}
				return
			}
			done := start(p)
			<-reached
			_, err := w.pipeline(content(nil), via).Run(bg, Request{})
			var busy *InProgressError
			if !errors.As(err, &busy) || busy.Stage != "seed" || busy.Since.IsZero() {
				t.Errorf("error %v", err)
			}
			if st := status(t, p); st.Status != StatusRunning || st.Stage != "seed" {
				t.Errorf("state %+v", st)
			}
			open <- nil
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			w.wantRecorded(Succeeded, "create done, seed done, finish done")
			runs(t, p, Unchanged)
			_, err = w.pipeline(content(duplicate), via, func(c *Config) { c.Stages[1].Version = 2 }).Run(bg, Request{})
			stageError(t, err)
			if o, _ := w.recorded(); o != Failed {
				t.Errorf("recorded %s", o)
			}
			within(t, freeWithin, "nobody holds a lock", func() bool { return get[int](w, `SELECT count(*) `+heldHere) == 0 })
		})
	}
}

// TestUnlockIsNotAnswered holds back the network at the unlock of a run that
// has nothing to record.
func TestUnlockIsNotAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	runs(t, w.pipeline(content(nil)), Succeeded)
	server := must(pgx.ParseConfig(w.dsn))
	proxy := pglab.NewProxy(t, fmt.Sprintf("%s:%d", server.Host, server.Port))
	p := w.pipeline(content(nil), func(c *Config) {
		c.Session.DSN = fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s sslmode=disable", proxy.Port, server.User, server.Database)
		c.Session.ReleaseTimeout = time.Second
	})
	runs(t, p, Unchanged)
	p.hook = func(point, _ string) {
		if point == "unlock" {
			proxy.Freeze()
		}
	}
	rep := runs(t, p, Unchanged)
	proxy.Thaw()
	if rep.Warning == "" || w.count(UnlockFailed) != 1 {
		t.Errorf("warning %q", rep.Warning)
	}
	within(t, freeWithin, "the lock is free", func() bool { return w.owner(p) == 0 })
	if st := status(t, p); st.Warning == "" {
		t.Errorf("state %+v", st)
	}
	p.hook = func(string, string) {}
	runs(t, p, Unchanged)
	if st := status(t, p); st.Warning != "" {
		t.Errorf("the warning stays: %q", st.Warning)
	}
}

// TestRestart stops the server inside of a statement of a stage.
func TestRestart(t *testing.T) {
	t.Parallel()
	server := pglab.NewServer(t, "synchronous_commit=on")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		w := worldOn(t, server.DSN())
		w.exec(`DROP TABLE IF EXISTS course, initpipe_run, initpipe_stage, initpipe_applied`)
		p := w.pipeline(content(sleep))
		done := start(p)
		within(t, 30*time.Second, "the stage sleeps", func() bool {
			return get[bool](w, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid())`)
		})
		w.pool.Close()
		server.Stop(sig)
		err := <-done
		if s := stageError(t, err); s.Stage != "seed" || s.Outcome != RolledBack {
			t.Errorf("error %v", err)
		}
		server.Start()
		w = worldOn(t, server.DSN())
		if st := status(t, p); st.Status != StatusInterrupted && st.Status != StatusFailed {
			t.Errorf("status %s", st.Status)
		}
		next := w.pipeline(content(nil))
		rep := runs(t, next, Succeeded)
		wantOutcomes(t, rep.Stages, "create up-to-date, seed done, finish done")
		if got := get[string](w, `SELECT outcome FROM initpipe_run WHERE id = 1`); got != "abandoned" && got != "failed" {
			t.Errorf("the run before is %s", got)
		}
		w.free()
	}
}

// TestNetworkCut takes the wire away from a program inside of a stage. The
// server frees the lock within its ServerTimeout.
func TestNetworkCut(t *testing.T) {
	t.Parallel()
	net := pglab.NewNetwork(t)
	server := pglab.NewServer(t)
	w := worldOn(t, server.DSN())
	server.Host = net.Here
	dead := spawn(t, childConfig{DSN: server.DSN(), Beat: 300 * time.Millisecond, Point: "inside seed"}, func(self string) *exec.Cmd { return net.Command(self) })
	dead.wait("at")
	p := w.pipeline(content(nil))
	net.Cut()
	took := within(t, 10*time.Second, "the lock is free", func() bool { return w.owner(p) == 0 })
	t.Logf("free after %v", took)
	rep := runs(t, p, Succeeded)
	if !slices.Equal(rep.Abandoned, []int64{1}) || w.courses() != 3 {
		t.Errorf("abandoned %v, %d courses", rep.Abandoned, w.courses())
	}
}
