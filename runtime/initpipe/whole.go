package initpipe

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// A wholeTx is the transaction of a run with Config.OneTx. The lock is one of
// the transaction, so that it works through a pooler in transaction mode.
type wholeTx struct {
	pooled *pgxpool.Conn
	conn   *pgx.Conn
	tx     pgx.Tx
}

// openWhole begins the transaction and tries the lock in it.
func (p *Pipeline) openWhole(ctx context.Context) (w *wholeTx, ok bool, err error) {
	pool, err := p.connect(&p.wholes)
	if err != nil {
		return nil, false, err
	}
	pooled, err := pool.Acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	w = &wholeTx{pooled: pooled, conn: pooled.Conn()}
	ok, err = w.begin(ctx, p)
	if err != nil && sqlState(err) != "" {
		if env, e := locks.Examine(ctx, p.pool.ConnConfig); e == nil && env.Pooler == locks.StatementPooler {
			err = &locks.PoolerError{Pooler: env.Pooler, Evidence: env.Evidence}
		}
	}
	if !ok || err != nil {
		w.rollback(ctx)
		pooled.Release() // nothing has run on it
		return nil, false, err
	}
	return w, true, nil
}

func (w *wholeTx) begin(ctx context.Context, p *Pipeline) (ok bool, err error) {
	w.tx, err = w.conn.Begin(ctx)
	if err != nil {
		return false, err
	}
	var standby bool
	if err := w.tx.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&standby); err != nil {
		return false, err
	}
	if standby {
		return false, locks.ErrReadOnly
	}
	w.watchClient(ctx)
	return p.locker.TryLock(ctx, w.tx, p.Key())
}

// watchClient has the server notice a client that is gone inside of a
// statement. Platforms without a poll that tells hang-ups refuse it.
func (w *wholeTx) watchClient(ctx context.Context) {
	_ = pgx.BeginFunc(ctx, w.tx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config(name, '500', true) FROM pg_settings WHERE name = 'client_connection_check_interval'`)
		return err
	})
}

func (w *wholeTx) rollback(ctx context.Context) {
	if w.tx != nil && !w.conn.IsClosed() {
		rollback(ctx, w.tx)
	}
}

// close ends the transaction and the connection, whose session stages may
// have changed.
func (w *wholeTx) close(ctx context.Context) {
	w.rollback(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWait)
	defer cancel()
	_ = w.conn.Close(ctx)
	w.pooled.Release()
}

// runWhole runs the stages in the one transaction.
func (r *run) runWhole(ctx context.Context) error {
	err := r.onWhole(ctx)
	var doubt *outcomeError
	if errors.As(err, &doubt) {
		err = doubt.err
	}
	err = r.settled(cancelled(ctx, err))
	undone := RolledBack
	switch {
	case doubt != nil && doubt.outcome == InDoubt:
		undone = InDoubt
	case err == nil:
		undone = Done
	}
	r.change(func(rep *Report) {
		for i := range rep.Stages {
			if s := &rep.Stages[i]; s.Outcome == Done {
				s.Outcome = undone
			}
		}
	})
	r.whole.close(ctx)
	if rep := r.snapshot(); err != nil && len(rep.Stages) > 0 && !r.req.DryRun && !errors.Is(err, ErrHistory) {
		r.recordWhole(ctx)
	}
	if r.snapshot().Outcome == Succeeded { // the commit was there, only its answer was lost
		return nil
	}
	return err
}

func (r *run) onWhole(ctx context.Context) error {
	l, name, tx := r.p.ledger, r.p.cfg.Name, r.whole.tx
	before, err := l.read(ctx, tx, name)
	if err != nil {
		return l.unusable(err)
	}
	todo, err := r.plan(before)
	switch {
	case err != nil:
		return err
	case r.req.DryRun:
		return r.rehearseIn(ctx, tx)
	case !todo && !before.open:
		return nil
	}
	if err := l.unusable(l.ensure(ctx, tx, before)); err != nil {
		return err
	}
	if err := l.unusable(r.enroll(ctx, tx, todo)); err != nil {
		return err
	}
	for i := range r.p.stages {
		if r.snapshot().Stages[i].Outcome != Pending {
			continue
		}
		if err := r.inShared(ctx, tx, i); err != nil {
			return err
		}
	}
	rep := r.snapshot()
	if rep.Outcome = Succeeded; todo {
		if _, err := l.end(ctx, tx, rep); err != nil {
			return err
		}
	}
	r.p.hook("commit", "")
	return commit(ctx, tx)
}

// recordWhole records the end of a run that was rolled back with its record,
// or finds out that it was not.
func (r *run) recordWhole(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWait)
	defer cancel()
	err := r.recordAgain(ctx)
	if err != nil {
		r.p.log.WarnContext(ctx, "the end of the run could not be recorded", "err", err)
	}
}

func (r *run) recordAgain(ctx context.Context) error {
	w, err := r.reopen(ctx)
	if err != nil {
		return err
	}
	defer w.close(ctx)
	l, name := r.p.ledger, r.p.cfg.Name
	before, err := l.read(ctx, w.tx, name)
	if err != nil {
		return err
	}
	if err := l.ensure(ctx, w.tx, before); err != nil {
		return err
	}
	rep := r.snapshot()
	if rep.Run != 0 && before.tables {
		var committed bool
		if err := w.tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+l.run+` WHERE id = $1)`, rep.Run).Scan(&committed); err != nil {
			return err
		}
		if committed {
			r.change(func(rep *Report) {
				rep.Outcome, rep.Error = Succeeded, ""
				for i := range rep.Stages {
					if s := &rep.Stages[i]; s.Outcome == InDoubt {
						s.Outcome = Done
					}
				}
			})
			return nil
		}
	}
	r.change(func(rep *Report) {
		for i := range rep.Stages {
			if s := &rep.Stages[i]; s.Outcome == InDoubt {
				s.Outcome = RolledBack
			}
		}
	})
	rep = r.snapshot()
	id, at, err := l.begin(ctx, w.tx, name, rep)
	if err != nil {
		return err
	}
	r.change(func(rep *Report) { rep.Run, rep.Started = id, at })
	rep.Run = id
	if _, err := l.end(ctx, w.tx, rep); err != nil {
		return err
	}
	if _, err := w.tx.Exec(ctx, `UPDATE `+l.run+` SET started_at = $2 WHERE id = $1`, id, rep.Started); err != nil {
		return err
	}
	r.recorded = true
	return w.tx.Commit(ctx)
}

// reopen takes the lock again, for the record alone.
func (r *run) reopen(ctx context.Context) (*wholeTx, error) {
	for pause := 20 * time.Millisecond; ; pause *= 2 {
		w, ok, err := r.p.openWhole(ctx)
		if ok {
			return w, nil
		}
		if err == nil {
			err = errors.New("another run has the lock")
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
	}
}
