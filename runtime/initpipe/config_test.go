package initpipe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

func TestBadConfig(t *testing.T) {
	good := func() Config {
		return Config{Name: "content", Stages: content(nil), Session: locks.SessionConfig{DSN: "postgres://nowhere/x"}}
	}
	for words, change := range map[string]func(*Config){
		"no stages":                       func(c *Config) { c.Stages = nil },
		`two stages are named "seed"`:     func(c *Config) { c.Stages[2].Name = "seed" },
		"name \"\"":                       func(c *Config) { c.Name = "" },
		`stage 2: name "a:b"`:             func(c *Config) { c.Stages[1].Name = "a:b" },
		`name "a\nb"`:                     func(c *Config) { c.Stages[1].Name = "a\nb" },
		"needs one of Run and RunConn":    func(c *Config) { c.Stages[1].Run = nil },
		"a version or a duration":         func(c *Config) { c.Stages[1].Version = -1 },
		"RunTimeout or LockTimeout":       func(c *Config) { c.RunTimeout = -time.Second },
		"needs one of DSN and Pool":       func(c *Config) { c.Session.DSN = "" },
		"cannot parse":                    func(c *Config) { c.Session.DSN = "postgres://%zz" },
		"table prefix":                    func(c *Config) { c.TablePrefix = "a.b.c" },
		"the pipeline is one transaction": func(c *Config) { c.Stages, c.OneTx = append(c.Stages, index), true },
	} {
		cfg := good()
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), words) || !strings.HasPrefix(err.Error(), "initpipe: ") {
			t.Errorf("%s: %v", words, err)
		}
	}
	if _, err := New(good()); err != nil {
		t.Error(err)
	}
}

func TestUnreachable(t *testing.T) {
	w := &world{t: t, dsn: "host=127.0.0.1 port=1 user=x dbname=x sslmode=disable"}
	for _, mode := range []func(*Config){func(*Config) {}, oneTx} {
		p := w.pipeline(content(nil), mode)
		if _, err := p.Run(bg, Request{}); !errors.Is(err, ErrUnreachable) {
			t.Errorf("run: %v", err)
		}
		if _, err := p.State(bg); !errors.Is(err, ErrUnreachable) {
			t.Errorf("state: %v", err)
		}
	}
}

// TestNoAnswer has a server that takes connections and says nothing.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	proxy := pglab.NewProxy(t, "127.0.0.1:1")
	proxy.Freeze()
	w := &world{t: t, dsn: fmt.Sprintf("host=127.0.0.1 port=%d user=x dbname=x sslmode=disable", proxy.Port)}
	for _, mode := range []func(*Config){func(*Config) {}, oneTx} {
		p := w.pipeline(content(nil), mode)
		ctx, cancel := context.WithTimeout(bg, 300*time.Millisecond)
		defer cancel()
		run := make(chan error)
		go func() {
			_, err := p.Run(ctx, Request{})
			run <- err
		}()
		// Meanwhile nothing of the program hangs.
		p.pulse()
		p.live()
		if _, err := p.State(ctx); !errors.Is(err, ErrUnreachable) {
			t.Errorf("state: %v", err)
		}
		if err := <-run; !errors.Is(err, ErrUnreachable) {
			t.Errorf("run: %v", err)
		}
	}
}

func TestNoRights(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		role := get[string](w, `SELECT 'initpipe_' || oid FROM pg_database WHERE datname = current_database()`)
		w.exec(`CREATE ROLE ` + role + ` LOGIN`)
		t.Cleanup(func() {
			w.exec(`DROP OWNED BY ` + role)
			w.exec(`DROP ROLE ` + role)
		})
		w.exec(`REVOKE CREATE ON SCHEMA public FROM public`)
		w.exec(`CREATE TABLE course (name text PRIMARY KEY, done boolean NOT NULL DEFAULT false)`)
		w.exec(`GRANT ALL ON course TO ` + role)
		ran := false
		stages := []Stage{{Name: "seed", Run: func(ctx context.Context, tx pgx.Tx, _ *Progress) error {
			ran = true
			_, err := tx.Exec(ctx, `INSERT INTO course (name) VALUES ('algebra')`)
			return err
		}}}
		as := func(c *Config) { c.Session.DSN = strings.Replace(w.dsn, "user=", "user="+role+" application_name=", 1) }
		p := w.pipeline(stages, mode, as)
		_, err := p.Run(bg, Request{})
		var history *HistoryError
		if !errors.As(err, &history) || !errors.Is(err, ErrHistory) || sqlState(err) != "42501" || ran {
			t.Fatalf("error %v, ran %v", err, ran)
		}
		if w.tables() != 0 || w.courses() != 0 {
			t.Error("something was written")
		}
		w.free()
		w.exec(history.DDL)
		w.exec(`GRANT SELECT, INSERT, UPDATE ON initpipe_run, initpipe_stage, initpipe_applied TO ` + role)
		runs(t, p, Succeeded)
		w.exec(`REVOKE SELECT ON initpipe_run FROM ` + role)
		if st := status(t, p); st.Problem == "" || st.Status == StatusRunning {
			t.Errorf("state %+v", st)
		}
	})
}

func TestSchemaOfTheTables(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		p := w.pipeline(content(nil), mode, func(c *Config) { c.TablePrefix = "ops.init" })
		if _, err := p.Run(bg, Request{}); !errors.Is(err, ErrHistory) {
			t.Errorf("without the schema: %v", err)
		}
		w.exec(`CREATE SCHEMA ops`)
		runs(t, p, Succeeded)
		if n := get[int](w, `SELECT count(*) FROM ops.init_run`); n != 1 {
			t.Errorf("%d runs", n)
		}
	})
}

func TestRetryIsAGuess(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	p := &Pipeline{}
	took := func(d time.Duration) []Report {
		return []Report{{Outcome: Failed}, {Outcome: Succeeded, Started: now.Add(-24 * time.Hour), Ended: now.Add(d - 24*time.Hour)}}
	}
	for _, c := range []struct {
		st   State
		want time.Duration
	}{
		{State{Now: now}, 5 * time.Second},
		{State{Now: now, Since: now.Add(-time.Hour)}, 5 * time.Second},
		{State{Now: now, Since: now.Add(-time.Hour), History: took(time.Hour + 30*time.Second)}, 30 * time.Second},
		{State{Now: now, Since: now.Add(-time.Hour), History: took(time.Minute)}, 2 * time.Second},
		{State{Now: now, Since: now.Add(-time.Second), History: took(time.Hour)}, time.Minute},
	} {
		if got := p.retry(&c.st); got != c.want {
			t.Errorf("retry of %+v: %v, want %v", c.st, got, c.want)
		}
	}
}
