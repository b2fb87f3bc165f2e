package initpipe

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	recordWait = 5 * time.Second // for the record of an end, whose context may be over
	tellEvery  = time.Second     // progress goes to the table at most so often
)

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
	s, ok, e := m.Acquire(ctx, r.p.Key(), recordWait)
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
	if id == 0 || err != nil {
		r.p.setDoubt(unlock.Error())
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
