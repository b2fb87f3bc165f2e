package initpipe

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

func TestFirstBoot(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		p := w.pipeline(content(nil), mode)
		if st := status(t, p); st.Status != StatusPending || len(st.History) != 0 || w.tables() != 0 {
			t.Errorf("before: %+v", st)
		}
		rep := runs(t, p, Succeeded)
		wantOutcomes(t, rep.Stages, "create done, seed done, finish done")
		w.wantRecorded(Succeeded, "create done, seed done, finish done")
		if w.courses() != 3 || rep.Run == 0 {
			t.Errorf("%d courses, run %d", w.courses(), rep.Run)
		}
		st := status(t, p)
		if st.Status != StatusInitialised || len(st.History) != 1 || st.History[0].Actor != "alice" || st.History[0].Owner == "" {
			t.Errorf("after: %+v", st)
		}
		w.free()
	})
}

func TestSecondRunDoesNothing(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		runs(t, w.pipeline(content(nil), mode), Succeeded)
		rep := runs(t, w.pipeline(content(nil), mode), Unchanged)
		wantOutcomes(t, rep.Stages, "create up-to-date, seed up-to-date, finish up-to-date")
		if n := get[int](w, `SELECT count(*) FROM initpipe_run`); n != 1 {
			t.Errorf("%d runs are recorded", n)
		}
		w.free()
	})
}

func TestVersions(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		runs(t, w.pipeline(content(nil), mode), Succeeded)
		raised := content(nil)
		raised[2].Version = 7
		rep := runs(t, w.pipeline(raised, mode), Succeeded)
		wantOutcomes(t, rep.Stages, "create up-to-date, seed up-to-date, finish done")

		old := w.pipeline(content(nil), mode)
		_, err := old.Run(bg, Request{})
		if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), `"finish" has run at version 7, this program has 1`) {
			t.Errorf("error %v", err)
		}
		if n := get[int](w, `SELECT count(*) FROM initpipe_run`); n != 2 {
			t.Errorf("%d runs are recorded", n)
		}
		if st := status(t, old); st.Status != StatusOutdated {
			t.Errorf("status %s", st.Status)
		}
		w.free()
	})
}

func TestStageFails(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		whole := w.pipeline(content(nil), mode).cfg.OneTx
		p := w.pipeline(content(duplicate), mode)
		rep, err := p.Run(bg, Request{Actor: "alice"})
		s := stageError(t, err)
		if s.Stage != "seed" || s.Step != "algebra again" || s.SQLState != "23505" || s.Outcome != RolledBack {
			t.Errorf("%+v", s)
		}
		if want := `initpipe: stage "seed", step "algebra again": ERROR: duplicate key`; !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "(rolled back)") {
			t.Errorf("error: %v", err)
		}
		want, left := "create done, seed rolled-back, finish not-run", 0
		if whole {
			want, left = "create rolled-back, seed rolled-back, finish not-run", -1
		}
		wantOutcomes(t, rep.Stages, want)
		w.wantRecorded(Failed, want)
		if w.courses() != left {
			t.Errorf("%d courses are left", w.courses())
		}
		w.free()
		if st := status(t, p); st.Status != StatusFailed || st.Stages[1].SQLState != "23505" || !strings.Contains(st.History[0].Error, "duplicate key") {
			t.Errorf("state %+v", st)
		}

		again := runs(t, w.pipeline(content(nil), mode), Succeeded)
		want = "create up-to-date, seed done, finish done"
		if whole {
			want = "create done, seed done, finish done"
		}
		wantOutcomes(t, again.Stages, want)
		if w.courses() != 3 || len(again.Abandoned) != 0 {
			t.Errorf("%d courses, abandoned %v", w.courses(), again.Abandoned)
		}
	})
}

func TestWaysToFail(t *testing.T) {
	for name, c := range map[string]struct {
		flaw    flaw
		words   string
		outcome Outcome
		panics  bool
		change  func(*Config)
	}{
		"panic":              {flaw: func(context.Context, pgx.Tx, *Progress) error { panic("of the seed") }, words: "panic: of the seed", outcome: Failed, panics: true},
		"goexit":             {flaw: func(context.Context, pgx.Tx, *Progress) error { runtime.Goexit(); return nil }, words: "Goexit", outcome: Failed, panics: true},
		"swallowed":          {flaw: func(ctx context.Context, tx pgx.Tx, p *Progress) error { _ = duplicate(ctx, tx, p); return nil }, words: "did not return its error", outcome: Failed},
		"ends the tx":        {flaw: func(ctx context.Context, tx pgx.Tx, _ *Progress) error { return tx.Commit(ctx) }, words: "the pipeline ends the transaction", outcome: Failed},
		"context":            {flaw: func(ctx context.Context, tx pgx.Tx, _ *Progress) error { <-ctx.Done(); return ctx.Err() }, words: "the stage took longer than 100ms", outcome: Cancelled, change: func(c *Config) { c.Stages[1].Timeout = 100 * time.Millisecond }},
		"statement too long": {flaw: sleep, words: "the stage took longer than 100ms", outcome: Cancelled, change: func(c *Config) { c.Stages[1].Timeout = 100 * time.Millisecond }},
		"run too long":       {flaw: sleep, words: "the deadline of the run has passed", outcome: Cancelled, change: func(c *Config) { c.RunTimeout = 2 * time.Second }},
	} {
		t.Run(name, func(t *testing.T) {
			modes(t, func(t *testing.T, w *world, mode func(*Config)) {
				p := w.pipeline(content(c.flaw), mode, func(cfg *Config) {
					if c.change != nil {
						c.change(cfg)
					}
				})
				err, panicked := runCaught(p)
				if panicked != c.panics {
					t.Fatalf("panicked: %v, error %v", panicked, err)
				}
				if !panicked && !strings.Contains(err.Error(), c.words) {
					t.Errorf("error: %v", err)
				}
				if w.courses() > 0 {
					t.Errorf("%d courses are left", w.courses())
				}
				w.free()
				want := "create done, seed rolled-back, finish not-run"
				if p.cfg.OneTx {
					want = "create rolled-back, seed rolled-back, finish not-run"
				}
				w.wantRecorded(c.outcome, want)
				if st := status(t, p); st.Status != StatusFailed || !strings.Contains(st.Stages[1].Error, c.words) {
					t.Errorf("state: %s, %q", st.Status, st.Stages[1].Error)
				}
				if rep := runs(t, w.pipeline(content(nil), mode), Succeeded); len(rep.Abandoned) != 0 {
					t.Errorf("abandoned %v", rep.Abandoned)
				}
			})
		})
	}
}

func sleep(ctx context.Context, tx pgx.Tx, _ *Progress) error {
	_, err := tx.Exec(ctx, `SELECT pg_sleep(30)`)
	return err
}

// runCaught runs p on a goroutine that may end any way.
func runCaught(p *Pipeline) (err error, panicked bool) {
	done := make(chan struct{})
	panicked = true
	go func() {
		defer close(done)
		defer func() { recover() }()
		_, err = p.Run(bg, Request{})
		panicked = false
	}()
	<-done
	return err, panicked
}

func TestBareCommitIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pipeline(content(func(ctx context.Context, tx pgx.Tx, _ *Progress) error {
		_, err := tx.Exec(ctx, "COMMIT")
		return err
	}))
	_, err := p.Run(bg, Request{})
	if s := stageError(t, err); s.Outcome != Partial {
		t.Errorf("outcome %s of %v", s.Outcome, err)
	}
	w.wantRecorded(Failed, "create done, seed partial, finish not-run")
	w.free()
}

func TestCancelled(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		f, reached, _ := gate()
		p := w.pipeline(content(f), mode)
		ctx, cancel := context.WithCancel(bg)
		go func() { <-reached; cancel() }()
		_, err := p.Run(ctx, Request{})
		if !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if o, _ := w.recorded(); o != Cancelled {
			t.Errorf("recorded as %s", o)
		}
		w.free()
		runs(t, w.pipeline(content(nil), mode), Succeeded)
	})
}

func TestLockTimeout(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		w.exec(`CREATE TABLE course (name text PRIMARY KEY, done boolean NOT NULL DEFAULT false)`)
		tx := must(w.pool.Begin(bg))
		defer tx.Rollback(bg)
		must(tx.Exec(bg, `LOCK TABLE course`))
		p := w.pipeline(content(nil), mode, func(c *Config) { c.LockTimeout = 50 * time.Millisecond })
		_, err := p.Run(bg, Request{})
		if s := stageError(t, err); s.SQLState != "55P03" {
			t.Errorf("error %v", err)
		}
	})
}

func TestOutside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stages := append(content(nil), index)
	rep := runs(t, w.pipeline(stages), Succeeded)
	wantOutcomes(t, rep.Stages, "create done, seed done, finish done, index done")
	if !get[bool](w, `SELECT indisvalid FROM pg_index WHERE indexrelid = 'course_done'::regclass`) {
		t.Error("the index is not valid")
	}
	stages[3].Version, stages[3].RunConn = 2, func(ctx context.Context, conn *pgx.Conn, p *Progress) error {
		p.Step("half")
		if _, err := conn.Exec(ctx, `CREATE TABLE half (n int)`); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, `BEGIN; INSERT INTO half VALUES (1)`, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		return errors.New("no more")
	}
	_, err := w.pipeline(stages).Run(bg, Request{})
	if s := stageError(t, err); s.Outcome != Partial || s.Step != "half" || !strings.Contains(err.Error(), "left a transaction open") {
		t.Errorf("error %v", err)
	}
	w.wantRecorded(Failed, "create up-to-date, seed up-to-date, finish up-to-date, index partial")
	if n := get[int](w, `SELECT count(*) FROM half`); n != 0 {
		t.Errorf("%d rows of the transaction that was left open", n)
	}
	w.free()
}

func TestSessionIsNotReused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stages := append(content(nil), Stage{Name: "setting", RunConn: func(ctx context.Context, conn *pgx.Conn, _ *Progress) error {
		_, err := conn.Exec(ctx, `SET search_path = nowhere; CREATE TEMP TABLE left_over (n int)`, pgx.QueryExecModeSimpleProtocol)
		return err
	}})
	// The record of the stage needs the path back.
	last := stages[3].RunConn
	stages[3].RunConn = func(ctx context.Context, conn *pgx.Conn, p *Progress) error {
		defer conn.Exec(ctx, `SET search_path = public`)
		return last(ctx, conn, p)
	}
	p := w.pipeline(stages)
	runs(t, p, Succeeded)
	runs(t, p, Unchanged)
	if n := get[int](w, `SELECT count(*) FROM pg_class WHERE relname = 'left_over'`); n != 0 {
		t.Errorf("%d temporary tables are left: the session goes on", n)
	}
}

func TestDryRun(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		var asked bool
		stages := content(func(_ context.Context, _ pgx.Tx, p *Progress) error { asked = p.DryRun(); return nil })
		want := "create rolled-back, seed rolled-back, finish rolled-back"
		p := w.pipeline(stages, mode)
		if !p.cfg.OneTx {
			stages, want = append(stages, index), want+", index untried"
			p = w.pipeline(stages, mode)
		}
		rep, err := p.Run(bg, Request{DryRun: true})
		if err != nil || rep.Outcome != DryRun || !asked {
			t.Fatalf("%+v, %v, asked %v", rep, err, asked)
		}
		wantOutcomes(t, rep.Stages, want)
		if w.tables() != 0 || w.courses() != -1 {
			t.Error("something is left")
		}
		rep, err = w.pipeline(content(duplicate), mode).Run(bg, Request{DryRun: true})
		if s := stageError(t, err); s.Stage != "seed" || rep.Outcome != Failed {
			t.Errorf("%+v %v", rep, err)
		}
		if w.tables() != 0 || w.courses() != -1 {
			t.Error("something is left")
		}
		w.free()
		runs(t, p, Succeeded)
	})
}

func TestFrom(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		p := w.pipeline(content(nil), mode)
		for stage, words := range map[string]string{"nothing": `no stage is named "nothing"`, "seed": `stage "create" before "seed" has not run`} {
			if _, err := p.Run(bg, Request{From: stage}); !errors.Is(err, ErrFrom) || !strings.Contains(err.Error(), words) {
				t.Errorf("from %s: %v", stage, err)
			}
		}
		if w.tables() != 0 {
			t.Error("a refused run has written")
		}
		runs(t, p, Succeeded)
		w.exec(`DELETE FROM course`)
		rep, err := p.Run(bg, Request{From: "seed"})
		if err != nil {
			t.Fatal(err)
		}
		wantOutcomes(t, rep.Stages, "create up-to-date, seed done, finish done")
		if w.courses() != 3 {
			t.Errorf("%d courses", w.courses())
		}
	})
}

func TestInProgress(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		f, reached, open := gate()
		p := w.pipeline(content(f), mode)
		begun := time.Now()
		done := start(p)
		<-reached
		other := w.pipeline(content(nil), mode) // as another replica would be
		for _, q := range []*Pipeline{p, other} {
			_, err := q.Run(bg, Request{})
			var busy *InProgressError
			if !errors.As(err, &busy) || !errors.Is(err, ErrInProgress) {
				t.Fatalf("error %v", err)
			}
			if busy.Stage != "seed" || busy.Holder.PID != w.owner(p) || busy.Since.Before(begun.Add(-time.Second)) || busy.Since.After(time.Now().Add(time.Second)) || busy.Retry <= 0 {
				t.Errorf("%+v", busy)
			}
			st := status(t, q)
			if st.Status != StatusRunning || st.Stage != "seed" || st.Stages[1].Outcome != StageRunning {
				t.Errorf("state %+v", st)
			}
		}
		open <- nil
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if n := w.count(Refused); n != 2 {
			t.Errorf("%d refusals were told", n)
		}
		w.free()
	})
}

// TestLongNames has the stage's name cut in application_name, by which alone a
// run in one transaction tells it.
func TestLongNames(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		f, reached, open := gate()
		stages := content(f)
		stages[1].Name = "seed " + strings.Repeat("ü", 17)
		long := func(c *Config) { c.Name = "content " + strings.Repeat("x", 32) }
		done := start(w.pipeline(stages, mode, long))
		<-reached
		_, err := w.pipeline(stages, mode, long).Run(bg, Request{})
		var busy *InProgressError
		if !errors.As(err, &busy) || busy.Stage != stages[1].Name {
			t.Errorf("error %v", err)
		}
		open <- nil
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

// TestAnHour looks at a run that began an hour ago, by the table and by the
// clock of the program.
func TestAnHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	runs(t, w.pipeline(content(nil)), Succeeded)
	w.exec(`UPDATE initpipe_run SET started_at = started_at - interval '1 day', ended_at = ended_at - interval '1 day' + interval '1 hour 20 s'`)
	f, reached, open := gate()
	stages := content(f)
	stages[1].Version = 2
	p := w.pipeline(stages)
	done := start(p)
	<-reached
	other := w.pipeline(stages)
	other.now = func() time.Time { return time.Now().Add(time.Hour) }
	_, err := other.Run(bg, Request{})
	var busy *InProgressError
	if !errors.As(err, &busy) || busy.Retry < 10*time.Second || busy.Retry > 20*time.Second || time.Since(busy.Since) > time.Minute {
		t.Errorf("%v: %+v", err, busy)
	}
	w.exec(`UPDATE initpipe_run SET started_at = started_at - interval '1 hour' WHERE outcome = 'running'`)
	_, err = w.pipeline(stages).Run(bg, Request{})
	if !errors.As(err, &busy) || busy.Retry < 10*time.Second || busy.Retry > 20*time.Second || time.Since(busy.Since) < time.Hour {
		t.Errorf("%v: %+v", err, busy)
	}
	open <- nil
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestRefusalWritesNothing compares the server's next transaction id, of a
// server on which nothing else runs.
func TestRefusalWritesNothing(t *testing.T) {
	t.Parallel()
	w := worldOn(t, pglab.NewServer(t).DSN())
	for _, mode := range []func(*Config){func(*Config) {}, oneTx} {
		f, reached, open := gate()
		p, other := w.pipeline(content(f), mode), w.pipeline(content(nil), mode)
		w.exec(`DROP TABLE IF EXISTS initpipe_applied`)
		done := start(p)
		<-reached
		before := get[int64](w, `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8`)
		for range 5 {
			if _, err := other.Run(bg, Request{}); !errors.Is(err, ErrInProgress) {
				t.Fatalf("error %v", err)
			}
			if _, err := other.Run(bg, Request{DryRun: true}); !errors.Is(err, ErrInProgress) {
				t.Fatalf("error %v", err)
			}
			status(t, other)
		}
		if after := get[int64](w, `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8`); after != before {
			t.Errorf("%d transaction ids were assigned", after-before)
		}
		open <- nil
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		before = get[int64](w, `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8`)
		runs(t, other, Unchanged)
		if after := get[int64](w, `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8`); after != before {
			t.Errorf("a run with nothing to do took %d transaction ids", after-before)
		}
	}
}

func TestUnlockNotConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stages := append(content(nil), Stage{Name: "unlocks", RunConn: func(ctx context.Context, conn *pgx.Conn, _ *Progress) error {
		_, err := conn.Exec(ctx, `SELECT pg_advisory_unlock_all()`)
		return err
	}})
	p := w.pipeline(stages)
	rep := runs(t, p, Succeeded)
	if !strings.Contains(rep.Warning, locks.ErrLost.Error()) || w.count(UnlockFailed) != 1 {
		t.Errorf("warning %q, told %d times", rep.Warning, w.count(UnlockFailed))
	}
	for _, q := range []*Pipeline{p, w.pipeline(stages)} {
		if st := status(t, q); st.Warning == "" || st.History[0].Warning == "" {
			t.Errorf("a replica does not know: %+v", st)
		}
	}
	w.free()
	if rep, err := p.Run(bg, Request{From: "seed"}); err != nil || rep.Warning == "" {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestObserver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	runs(t, w.pipeline(content(nil)), Succeeded)
	var kinds []string
	for _, e := range w.events {
		kinds = append(kinds, string(e.Kind)+" "+e.Stage+" "+e.Outcome)
	}
	if got, want := strings.Join(kinds, "; "), "run-started  ; stage-ended create done; stage-ended seed done; stage-ended finish done; run-ended  succeeded"; got != want {
		t.Errorf("events: %s", got)
	}
}

func TestProgressIsSeenElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, reached, open := gate()
	p := w.pipeline(content(f))
	done := start(p)
	<-reached
	other := w.pipeline(content(nil))
	within(t, 30*time.Second, "the other replica sees the progress", func() bool {
		s := status(t, other).Stages[1]
		return s.Done == 3 && s.Total == 3 && s.Step == "courses"
	})
	open <- nil
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
