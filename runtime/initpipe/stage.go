package initpipe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// A Stage is one step of a pipeline. It is to be idempotent: after a failure,
// or when its version was raised, it runs again on what is there.
type Stage struct {
	Name  string // by which history knows it
	Title string // for people; Name when empty

	// Version is raised when the stage is to run again where it has run; 0
	// counts as 1. A database that has seen a higher one refuses the pipeline.
	Version int

	// Exactly one of the two is set. Run works in a transaction, which the
	// pipeline commits or rolls back. RunConn works outside of one, for what
	// PostgreSQL refuses in a transaction (CREATE INDEX CONCURRENTLY); what it
	// did before it fails stays.
	Run     func(ctx context.Context, tx pgx.Tx, p *Progress) error
	RunConn func(ctx context.Context, conn *pgx.Conn, p *Progress) error

	Timeout     time.Duration // of the stage; 0: the run's alone
	LockTimeout time.Duration // lock_timeout of its statements; 0: Config.LockTimeout
}

func (s Stage) outside() bool { return s.RunConn != nil }

const maxName = 40 // of bytes; more would say little in application_name

func badName(s string) bool {
	if s == "" || len(s) > maxName || !utf8.ValidString(s) {
		return true
	}
	for _, r := range s {
		if !unicode.IsPrint(r) || r == ':' {
			return true
		}
	}
	return false
}

// checked returns the stages with their defaults, or what is wrong with them.
func checked(cfg Config) ([]Stage, error) {
	if len(cfg.Stages) == 0 {
		return nil, errors.New("the pipeline has no stages")
	}
	seen := map[string]bool{}
	out := make([]Stage, len(cfg.Stages))
	for i, s := range cfg.Stages {
		s.Version, s.Title = cmp.Or(s.Version, 1), cmp.Or(s.Title, s.Name)
		s.LockTimeout = cmp.Or(s.LockTimeout, cfg.LockTimeout)
		switch {
		case badName(s.Name):
			return nil, fmt.Errorf("stage %d: name %q: 1 to %d printable bytes without a colon", i+1, s.Name, maxName)
		case seen[s.Name]:
			return nil, fmt.Errorf("two stages are named %q", s.Name)
		case (s.Run == nil) == (s.RunConn == nil):
			return nil, fmt.Errorf("stage %q needs one of Run and RunConn", s.Name)
		case s.outside() && cfg.OneTx:
			return nil, fmt.Errorf("stage %q runs outside of a transaction, and the pipeline is one transaction", s.Name)
		case s.Version < 0 || s.Timeout < 0 || s.LockTimeout < 0:
			return nil, fmt.Errorf("stage %q: a version or a duration is negative", s.Name)
		}
		seen[s.Name] = true
		out[i] = s
	}
	return out, nil
}

// Progress tells how far a stage is. Its methods do not ask the server.
type Progress struct {
	r *run
	i int
}

// Step names what the stage does next; an error of the stage is told with it.
func (p *Progress) Step(name string) {
	p.r.change(func(rep *Report) { rep.Stages[p.i].Step = name })
}

// Count tells how many of a total are done; a total of 0 is unknown.
func (p *Progress) Count(done, total int64) {
	p.r.change(func(rep *Report) { rep.Stages[p.i].Done, rep.Stages[p.i].Total = done, total })
}

// DryRun reports whether what the stage writes will be rolled back, so that
// it leaves other systems alone.
func (p *Progress) DryRun() bool { return p.r.req.DryRun }

// Exec returns the Run of a stage that is one text of SQL statements. They
// are sent together and without parameters.
func Exec(sql string) func(context.Context, pgx.Tx, *Progress) error {
	return func(ctx context.Context, tx pgx.Tx, _ *Progress) error {
		_, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
		return err
	}
}

// A stageTx is the transaction of a stage, which the pipeline ends.
type stageTx struct{ pgx.Tx }

var errNotYours = errors.New("initpipe: the pipeline ends the transaction of a stage; return nil or an error")

func (stageTx) Commit(context.Context) error   { return errNotYours }
func (stageTx) Rollback(context.Context) error { return errNotYours }
