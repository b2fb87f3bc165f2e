package initpipe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// A run is one run that has the lock.
type run struct {
	p   *Pipeline
	req Request

	session *locks.Session // nil with OneTx
	whole   *wholeTx       // nil without

	mu       sync.Mutex
	report   Report
	recorded bool // the tables tell the end of the run
	ended    chan struct{}
}

const (
	recordWait = 5 * time.Second // for the record of an end, whose context may be over
	tellEvery  = time.Second     // progress goes to the table at most so often
)

var errDeadline = errors.New("the deadline of the run has passed")

// begin takes the lock. What it returns must be finished.
func (p *Pipeline) begin(ctx context.Context, req Request) (*run, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	r, err := p.acquire(ctx, req)
	if err != nil {
		p.runs.Done()
		if errors.Is(err, ErrInProgress) {
			p.event(ctx, Event{Kind: Refused})
		}
		return nil, err
	}
	p.setCurrent(r)
	return r, nil
}

func (p *Pipeline) acquire(ctx context.Context, req Request) (*run, error) {
	if req.From != "" && p.position(req.From) < 0 {
		return nil, fmt.Errorf("initpipe: %w: no stage is named %q", ErrFrom, req.From)
	}
	r := &run{p: p, req: req, ended: make(chan struct{})}
	r.report = Report{Outcome: Running, Owner: p.cfg.Session.Owner, Actor: req.Actor, Started: p.now()}
	var ok bool
	var err error
	if p.cfg.OneTx {
		r.whole, ok, err = p.openWhole(ctx)
	} else {
		var m *locks.Sessions
		if m, err = p.open(ctx); err != nil {
			return nil, err
		}
		r.session, ok, err = m.TryAcquire(ctx, p.key)
	}
	switch {
	case err != nil:
		return nil, explain(err)
	case !ok:
		return nil, p.inProgress(ctx)
	}
	return r, nil
}

func (p *Pipeline) position(stage string) int {
	for i, s := range p.stages {
		if s.Name == stage {
			return i
		}
	}
	return -1
}

// finish runs the stages, records the end and frees the lock.
func (r *run) finish(ctx context.Context) (*Report, error) {
	p := r.p
	defer func() {
		close(r.ended)
		p.setCurrent(nil)
		p.runs.Done()
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, p.cfg.RunTimeout, errDeadline)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(p.closing, func() { stop(ErrClosed) })()

	begun := p.now()
	p.event(ctx, Event{Kind: RunStarted})
	var err error
	if r.whole != nil {
		err = r.runWhole(ctx)
	} else {
		err = r.runStaged(ctx)
	}
	r.change(func(rep *Report) { rep.Ended = p.now() })
	rep := r.snapshot()
	r.log(ctx, rep, err)
	p.event(context.WithoutCancel(ctx), Event{Kind: RunEnded, Run: rep.Run, Outcome: string(rep.Outcome), Took: p.now().Sub(begun), Err: err})
	return rep, err
}

func (r *run) log(ctx context.Context, rep *Report, err error) {
	ctx = context.WithoutCancel(ctx)
	log := r.p.log.With("run", rep.Run, "actor", rep.Actor, "outcome", rep.Outcome)
	var panicked *PanicError
	switch {
	case errors.As(err, &panicked):
		log.ErrorContext(ctx, "initialization panicked", "err", err, "stack", string(panicked.Stack))
	case err != nil:
		log.ErrorContext(ctx, "initialization failed", "err", err)
	default:
		log.InfoContext(ctx, "initialization ended", "took", rep.Took(r.p.now()))
	}
}

// runStaged runs on the session that holds the lock, each stage in a
// transaction of its own.
func (r *run) runStaged(ctx context.Context) error {
	stopTelling := r.tellProgress()
	lost := false
	err := r.session.Use(ctx, func(conn *pgx.Conn) error {
		err := r.onSession(ctx, conn)
		stopTelling()
		err = r.conclude(ctx, conn, err)
		lost = conn.IsClosed()
		return err
	})
	stopTelling()
	if r.snapshot().Outcome == Running { // the session was lost before the stages could begin
		lost = true
		err = r.settled(cancelled(ctx, err))
	}
	r.p.hook("unlock", "")
	unlock := r.session.Release(ctx)
	if lost && !r.recorded && r.snapshot().Run != 0 {
		err = r.settle(ctx, err)
	}
	var doubt *locks.ReleaseError
	if unlock != nil && !(lost && errors.As(unlock, &doubt) && doubt.Ended) {
		r.warn(ctx, unlock)
	}
	return err
}

// onSession reads what has run, and runs what has not.
func (r *run) onSession(ctx context.Context, conn *pgx.Conn) error {
	l, name := r.p.ledger, r.p.cfg.Name
	before, err := l.read(ctx, conn, name)
	if err != nil {
		return l.unusable(err)
	}
	todo, err := r.plan(before)
	switch {
	case err != nil:
		return err
	case r.req.DryRun:
		return r.rehearse(ctx, conn)
	case !todo && !before.open:
		return nil
	}
	if err := l.unusable(l.ensure(ctx, conn, before)); err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return r.enroll(ctx, tx, todo) })
	if err != nil {
		return l.unusable(err)
	}
	for i := range r.p.stages {
		if r.snapshot().Stages[i].Outcome != Pending {
			continue
		}
		if err := r.one(ctx, conn, i); err != nil {
			return err
		}
	}
	return nil
}

// enroll marks what dead owners left, and records the run if it has work.
func (r *run) enroll(ctx context.Context, c db, todo bool) error {
	l, name := r.p.ledger, r.p.cfg.Name
	gone, err := l.abandon(ctx, c, name)
	if err != nil {
		return err
	}
	for _, id := range gone {
		r.p.log.WarnContext(ctx, "a run was abandoned: its owner died", "run", id)
		r.p.event(ctx, Event{Kind: FoundAbandoned, Run: id})
	}
	r.change(func(rep *Report) { rep.Abandoned = gone })
	if !todo {
		return nil
	}
	id, at, err := l.begin(ctx, c, name, r.snapshot())
	if err == nil {
		r.change(func(rep *Report) { rep.Run, rep.Started = id, at })
	}
	return err
}

// plan says of each stage whether it runs, and reports whether any does.
func (r *run) plan(before past) (todo bool, err error) {
	from := len(r.p.stages)
	if r.req.From != "" {
		from = r.p.position(r.req.From)
	}
	list := make([]StageReport, len(r.p.stages))
	for i, s := range r.p.stages {
		seen := before.versions[s.Name]
		list[i] = StageReport{Name: s.Name, Title: s.Title, Version: s.Version, Outside: s.outside(), Outcome: UpToDate}
		switch {
		case seen > s.Version:
			return false, fmt.Errorf("initpipe: %w: stage %q has run at version %d, this program has %d", ErrVersion, s.Name, seen, s.Version)
		case i >= from || seen < s.Version && r.req.From == "":
			list[i].Outcome, todo = Pending, true
		case seen < s.Version:
			return false, fmt.Errorf("initpipe: %w: stage %q before %q has not run at version %d", ErrFrom, s.Name, r.req.From, s.Version)
		}
	}
	r.change(func(rep *Report) { rep.Stages = list })
	return todo, nil
}

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
		fmt.Sprint(s.LockTimeout.Milliseconds()), application(r.p.cfg.Name, s.Name), local)
	return err
}

func application(pipeline, stage string) string {
	return fmt.Sprintf("initpipe %s: %s", pipeline, stage)
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

// conclude decides how the run ended, and records it if the session can.
func (r *run) conclude(ctx context.Context, conn *pgx.Conn, err error) error {
	err = r.settled(cancelled(ctx, err))
	if rep := r.snapshot(); rep.Run != 0 && !conn.IsClosed() {
		if e := r.recordEnd(ctx, conn); e != nil {
			r.p.log.WarnContext(ctx, "the end of the run could not be recorded", "run", rep.Run, "err", e)
		}
	}
	return err
}

// settled decides the outcome of the run.
func (r *run) settled(err error) error {
	r.change(func(rep *Report) {
		todo := false
		for i := range rep.Stages {
			if s := &rep.Stages[i]; s.Outcome == Pending {
				s.Outcome = NotRun
			}
			todo = todo || rep.Stages[i].Outcome != UpToDate
		}
		switch {
		case errors.Is(err, ErrCancelled):
			rep.Outcome = Cancelled
		case err != nil:
			rep.Outcome = Failed
		case r.req.DryRun:
			rep.Outcome = DryRun
		case !todo:
			rep.Outcome = Unchanged
		default:
			rep.Outcome = Succeeded
		}
		if err != nil {
			rep.Error = err.Error()
		}
		if rep.Outcome == DryRun || err != nil && r.req.DryRun {
			for i := range rep.Stages {
				if s := &rep.Stages[i]; s.Outcome == Done {
					s.Outcome = RolledBack
				}
			}
		}
	})
	return err
}

func (r *run) recordEnd(ctx context.Context, c db) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWait)
	defer cancel()
	_, err := r.p.ledger.end(ctx, c, r.snapshot())
	r.recorded = err == nil
	return err
}

// settle records the end of a run whose session is gone, if it can be the
// next owner of the lock; if another is, that one marks the run abandoned.
func (r *run) settle(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWait)
	defer cancel()
	id := r.snapshot().Run
	m, e := r.p.open(ctx)
	if e != nil {
		return err
	}
	s, ok, e := m.Acquire(ctx, r.p.key, recordWait)
	if !ok {
		r.p.log.WarnContext(ctx, "the end of the run is left to the next owner", "run", id, "err", e)
		return err
	}
	e = s.Use(ctx, func(conn *pgx.Conn) error {
		if err := r.resolve(ctx, conn, err); err != nil {
			return err
		}
		return r.recordEnd(ctx, conn)
	})
	if e := errors.Join(e, s.Release(ctx)); e != nil {
		r.p.log.WarnContext(ctx, "the end of the run could not be recorded", "run", id, "err", e)
	}
	return err
}

// resolve asks the tables about a commit that was not confirmed.
func (r *run) resolve(ctx context.Context, c db, err error) error {
	var failed *StageError
	if !errors.As(err, &failed) || failed.Outcome != InDoubt {
		return nil
	}
	committed, e := r.p.ledger.appliedBy(ctx, c, r.p.cfg.Name, failed.Stage, r.snapshot().Run)
	if e != nil {
		return e
	}
	failed.Outcome = RolledBack
	if committed {
		failed.Outcome = Done
	}
	r.change(func(rep *Report) {
		rep.Stages[r.p.position(failed.Stage)].Outcome = failed.Outcome
		rep.Error = failed.Error()
	})
	return nil
}

// warn tells everybody that the lock was not seen to be free.
func (r *run) warn(ctx context.Context, unlock error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWait)
	defer cancel()
	r.change(func(rep *Report) { rep.Warning = unlock.Error() })
	id := r.snapshot().Run
	r.p.log.WarnContext(ctx, "the unlock was not confirmed; check the state before another run", "run", id, "err", unlock)
	r.p.event(ctx, Event{Kind: UnlockFailed, Run: id, Err: unlock})
	pool, err := r.p.aside()
	if err == nil && id != 0 {
		err = r.p.ledger.warn(ctx, pool, id, unlock.Error())
	}
	if err != nil {
		r.p.log.WarnContext(ctx, "the warning could not be recorded", "run", id, "err", err)
	}
}

// tellProgress records progress while the run goes on. The function that it
// returns ends that, and waits for it.
func (r *run) tellProgress() func() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		var told StageReport
		tick := time.NewTicker(tellEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			rep := r.snapshot()
			i := r.p.position(rep.current())
			if i < 0 || rep.Run == 0 || rep.Stages[i] == told {
				continue
			}
			if pool, err := r.p.aside(); err == nil && r.p.ledger.tell(ctx, pool, rep.Run, i, rep.Stages[i]) == nil {
				told = rep.Stages[i]
			}
		}
	}()
	return sync.OnceFunc(func() {
		cancel()
		<-done
	})
}

func (r *run) snapshot() *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.report.clone()
}

func (r *run) change(f func(*Report)) {
	r.mu.Lock()
	f(&r.report)
	r.mu.Unlock()
	r.p.pulse()
}

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
