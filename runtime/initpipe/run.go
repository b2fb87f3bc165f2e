package initpipe

import (
	"context"
	"errors"
	"fmt"
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
}

var errDeadline = errors.New("the deadline of the run has passed")

// takeWait bounds the taking of the lock, which never waits for another owner:
// a server that does not answer is unreachable.
const takeWait = 20 * time.Second

// begin takes the lock. What it returns must be finished.
func (p *Pipeline) begin(ctx context.Context, req Request) (*run, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	take, cancel := context.WithTimeout(ctx, takeWait)
	r, err := p.acquire(take, req)
	cancel()
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
	r := &run{p: p, req: req}
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
		r.session, ok, err = m.TryAcquire(ctx, p.Key())
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
	switch {
	case unlock == nil:
		r.p.setDoubt("")
	case !lost || !errors.As(unlock, &doubt) || !doubt.Ended:
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
