package initpipe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/jackc/pgx/v5"
)

// one runs stage i on the session.
func (r *run) one(ctx context.Context, conn *pgx.Conn, i int) (err error) {
	s, p := r.p.stages[i], r.p
	ctx, cancel := r.limit(ctx, s)
	defer cancel()
	defer func() { err = r.stageEnded(ctx, i, err) }()
	r.starts(i)
	p.hook("before", s.Name)
	if err := p.ledger.note(ctx, conn, r.snapshot().Run, i, r.snapshot().Stages[i]); err != nil {
		return err
	}
	if err := r.announce(ctx, conn, s, false); err != nil {
		return err
	}
	if s.outside() {
		err = r.outside(ctx, conn, i)
	} else {
		err = r.inside(ctx, conn, i)
	}
	if err != nil {
		return err
	}
	p.hook("after", s.Name)
	done := r.snapshot().Stages[i]
	done.Outcome, done.Ended = Done, p.now()
	if err := p.ledger.note(ctx, conn, r.snapshot().Run, i, done); err != nil {
		return &outcomeError{Done, err} // the stage is committed, the note of it is not
	}
	return nil
}

// inside runs stage i in a transaction of its own.
func (r *run) inside(ctx context.Context, conn *pgx.Conn, i int) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadWrite})
	if err != nil {
		return err
	}
	defer rollback(ctx, tx)
	if err := r.through(ctx, tx, i); err != nil {
		return err
	}
	if err := r.p.ledger.apply(ctx, tx, r.p.cfg.Name, r.p.stages[i], r.snapshot().Run); err != nil {
		return err
	}
	r.p.hook("commit", r.p.stages[i].Name)
	return commit(ctx, tx)
}

// through calls stage i in tx, which it leaves open.
func (r *run) through(ctx context.Context, tx pgx.Tx, i int) error {
	s := r.p.stages[i]
	if err := r.announce(ctx, tx, s, true); err != nil {
		return err
	}
	err := call(func() error { return s.Run(ctx, stageTx{tx}, &Progress{r, i}) })
	switch status := tx.Conn().PgConn().TxStatus(); {
	case status == 'I' && !tx.Conn().IsClosed():
		return &outcomeError{Partial, errors.Join(err, errors.New("it ended the pipeline's transaction with a statement of its own"))}
	case err == nil && status == 'E':
		return errors.New("a statement failed, and the stage did not return its error")
	}
	return err
}

// outside runs stage i without a transaction.
func (r *run) outside(ctx context.Context, conn *pgx.Conn, i int) error {
	s := r.p.stages[i]
	err := call(func() error { return s.RunConn(ctx, conn, &Progress{r, i}) })
	if !conn.IsClosed() && conn.PgConn().TxStatus() != 'I' {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWait)
		defer cancel()
		_, back := conn.Exec(undo, "ROLLBACK")
		err = errors.Join(err, errors.New("it left a transaction open, which was rolled back"), back)
	}
	r.p.hook("commit", s.Name)
	if err == nil {
		err = r.p.ledger.apply(ctx, conn, r.p.cfg.Name, s, r.snapshot().Run)
	}
	if err != nil {
		return &outcomeError{Partial, err}
	}
	return nil
}

// rehearse runs what is pending in one transaction and rolls it back.
func (r *run) rehearse(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadWrite})
	if err != nil {
		return err
	}
	defer rollback(ctx, tx)
	//pglockdep:ignore unordered-lock-loop one run at a time writes these rows: the one that holds the pipeline's lock
	return r.rehearseIn(ctx, tx)
}

func (r *run) rehearseIn(ctx context.Context, tx pgx.Tx) error {
	for i, s := range r.p.stages {
		switch {
		case r.snapshot().Stages[i].Outcome != Pending:
			continue
		case s.outside():
			r.change(func(rep *Report) { rep.Stages[i].Outcome = Untried })
			continue
		}
		if err := r.inShared(ctx, tx, i); err != nil {
			return err
		}
	}
	return nil
}

// inShared runs stage i in a transaction that it shares with others.
func (r *run) inShared(ctx context.Context, tx pgx.Tx, i int) (err error) {
	ctx, cancel := r.limit(ctx, r.p.stages[i])
	defer cancel()
	r.starts(i)
	defer func() { err = r.stageEnded(ctx, i, err) }()
	r.p.hook("before", r.p.stages[i].Name)
	if err := r.through(ctx, tx, i); err != nil {
		return err
	}
	if r.req.DryRun {
		return nil
	}
	r.p.hook("after", r.p.stages[i].Name)
	return r.p.ledger.apply(ctx, tx, r.p.cfg.Name, r.p.stages[i], r.snapshot().Run)
}

func (r *run) limit(ctx context.Context, s Stage) (context.Context, context.CancelFunc) {
	if s.Timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.Timeout, fmt.Errorf("the stage took longer than %v", s.Timeout))
}

// announce sets lock_timeout for a stage, and names it in application_name,
// which every role may read in pg_stat_activity.
func (r *run) announce(ctx context.Context, c db, s Stage, local bool) error {
	_, err := c.Exec(ctx, `SELECT set_config('lock_timeout', $1, $3), set_config('application_name', $2, $3)`,
		fmt.Sprint(s.LockTimeout.Milliseconds()), r.p.application(s), local)
	return err
}

// starts notes that stage i runs.
func (r *run) starts(i int) {
	r.change(func(rep *Report) { rep.Stages[i].Outcome, rep.Stages[i].Started = StageRunning, r.p.now() })
}

// stageEnded notes how stage i ended, and names it in err.
func (r *run) stageEnded(ctx context.Context, i int, err error) error {
	var o *outcomeError
	outcome := Done
	switch {
	case errors.As(err, &o):
		outcome, err = o.outcome, o.err
	case err != nil:
		outcome = RolledBack
	}
	var named *StageError
	r.change(func(rep *Report) {
		s := &rep.Stages[i]
		s.Outcome, s.Ended = outcome, r.p.now()
		if err == nil {
			return
		}
		s.SQLState = sqlState(err)
		err = cancelled(ctx, err)
		s.Error = err.Error()
		named = &StageError{Stage: s.Name, Step: s.Step, SQLState: s.SQLState, Outcome: outcome, Err: err}
	})
	rep := r.snapshot()
	s := rep.Stages[i]
	r.p.event(ctx, Event{Kind: StageEnded, Run: rep.Run, Stage: s.Name, Outcome: string(outcome), Took: s.Ended.Sub(s.Started), Err: err})
	if named == nil {
		r.p.log.InfoContext(ctx, "stage done", "run", rep.Run, "stage", s.Name, "took", s.Ended.Sub(s.Started))
		return nil
	}
	return named
}

// An outcomeError is an error of a stage that was not simply rolled back.
type outcomeError struct {
	outcome StageOutcome
	err     error
}

func (e *outcomeError) Error() string { return e.err.Error() }
func (e *outcomeError) Unwrap() error { return e.err }

// call runs a stage and turns a panic of it into an error.
func call(f func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = &PanicError{Value: errGoexit}
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
		err = f()
	}()
	<-done
	return err
}

func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWait)
	defer cancel()
	_ = tx.Rollback(ctx) // nothing to do after a commit; a closed connection rolls back by itself
}

// commit commits. An end of the session while it does leaves open whether the
// server did: such a message can come after the commit (PostgreSQL 16 manual,
// 27.2.8).
func commit(ctx context.Context, tx pgx.Tx) error {
	err := tx.Commit(ctx)
	if code := cmp.Or(sqlState(err), "08000"); err != nil && !errors.Is(err, pgx.ErrTxCommitRollback) && (code[:2] == "08" || code[:3] == "57P") {
		return &outcomeError{InDoubt, err}
	}
	return err
}
