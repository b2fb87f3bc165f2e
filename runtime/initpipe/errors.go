package initpipe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// What callers can ask of an error with errors.Is.
var (
	ErrInProgress  = errors.New("another initialization is running")        // an *InProgressError
	ErrVersion     = errors.New("the database has seen a newer version")    // of a stage; nothing was written
	ErrFrom        = errors.New("the run cannot start there")               // Request.From; nothing was written
	ErrHistory     = errors.New("the tables of the history are not usable") // a *HistoryError; no stage has run
	ErrUnreachable = errors.New("the database cannot be reached")
	ErrCancelled   = errors.New("the run was cancelled") // or its deadline passed; a *StageError names the stage
	ErrClosed      = errors.New("the pipeline is closed")
	errGoexit      = errors.New("the stage called runtime.Goexit")
)

// An InProgressError says who runs the pipeline. Nothing was written.
type InProgressError struct {
	Holder Holder
	Stage  string    // "" when it cannot be told
	Since  time.Time // zero when it cannot be told
	Retry  time.Duration
}

// A Holder is who has the lock.
type Holder struct {
	PID    int32  `json:"pid"`             // of the server process
	Owner  string `json:"owner,omitempty"` // program@host:pid, or the application_name of a stranger
	Actor  string `json:"actor,omitempty"` // who asked for the run
	Client string `json:"client,omitempty"`
}

func (e *InProgressError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "initpipe: %v: held by server process %d", ErrInProgress, e.Holder.PID)
	if e.Holder.Owner != "" {
		fmt.Fprintf(&b, " (%s)", e.Holder.Owner)
	}
	if e.Stage != "" {
		fmt.Fprintf(&b, " in stage %q", e.Stage)
	}
	if !e.Since.IsZero() {
		fmt.Fprintf(&b, " since %s", e.Since.UTC().Format(time.RFC3339))
	}
	return b.String()
}

// Is makes the error ErrInProgress.
func (e *InProgressError) Is(target error) bool { return target == ErrInProgress }

// A StageError names the stage that failed.
type StageError struct {
	Stage    string
	Step     string       // what Progress.Step said last
	SQLState string       // "" when the error is none of the server
	Outcome  StageOutcome // RolledBack, Partial or InDoubt
	Err      error
}

func (e *StageError) Error() string {
	where := fmt.Sprintf("stage %q", e.Stage)
	if e.Step != "" {
		where += fmt.Sprintf(", step %q", e.Step)
	}
	return fmt.Sprintf("initpipe: %s: %v (%s)", where, e.Err, e.Outcome.words())
}

func (e *StageError) Unwrap() error { return e.Err }

// A PanicError is the panic of a stage. Run panics with Value again.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// A HistoryError says why the tables cannot be used, and how to make them.
type HistoryError struct {
	DDL string // for somebody who may run it
	Err error
}

func (e *HistoryError) Error() string {
	return fmt.Sprintf("initpipe: %v: %v; create them with the statements of initpipe.DDL, and grant SELECT, INSERT, UPDATE", ErrHistory, e.Err)
}

func (e *HistoryError) Unwrap() error { return e.Err }

// Is makes the error ErrHistory.
func (e *HistoryError) Is(target error) bool { return target == ErrHistory }

func sqlState(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}

// SQLSTATEs (PostgreSQL 16 manual, appendix A).
const (
	codeNoTable = "42P01" // undefined_table
	codeNoRight = "42501" // insufficient_privilege
)

// explain puts ErrUnreachable in front of what says that there is no server.
func explain(err error) error {
	var connect *pgconn.ConnectError
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded) && sqlState(err) == "":
		return fmt.Errorf("initpipe: %w: no answer in time: %w", ErrUnreachable, err)
	case errors.As(err, &connect), strings.HasPrefix(sqlState(err), "57P"), errors.Is(err, locks.ErrNoConn):
		return fmt.Errorf("initpipe: %w: %w", ErrUnreachable, err)
	}
	return fmt.Errorf("initpipe: %w", err)
}

// cancelled puts ErrCancelled in front of an error that the end of ctx made.
func cancelled(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ErrCancelled) {
		return err
	}
	return fmt.Errorf("%w (%w): %w", ErrCancelled, context.Cause(ctx), err)
}
