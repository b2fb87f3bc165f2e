package handles

import (
	"context"
	"database/sql"
)

type joinKey struct{}

// A Joiner begins a transaction, or works on in that of its context.
type Joiner struct{ db *sql.DB }

// Do puts the transaction into the variable that its closure has of the
// context.
func (j *Joiner) Do(ctx context.Context, fn func(context.Context) error) error {
	if joined(ctx) != nil {
		return fn(ctx)
	}
	tx, err := j.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	run := func() error {
		ctx = context.WithValue(ctx, joinKey{}, tx)
		return fn(ctx)
	}
	if err := run(); err != nil {
		return err
	}
	return tx.Commit()
}

func joined(ctx context.Context) *sql.Tx {
	tx, _ := ctx.Value(joinKey{}).(*sql.Tx)
	return tx
}

func (j *Joiner) exec(ctx context.Context, query string, args ...any) error {
	if tx := joined(ctx); tx != nil {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}
	_, err := j.db.ExecContext(ctx, query, args...)
	return err
}

// Runs tells others of what it does, by functions that are kept in a slice.
type Runs struct {
	*Joiner
	hooks []func(context.Context, int) error
}

func (r *Runs) After(hook func(context.Context, int) error) { r.hooks = append(r.hooks, hook) }

// Cancel is the one path: what it calls works in its transaction.
func (r *Runs) Cancel(ctx context.Context, id int) error {
	return r.Do(ctx, func(ctx context.Context) error {
		if err := r.lock(ctx, id); err != nil {
			return err
		}
		for _, hook := range r.hooks {
			if err := hook(ctx, id); err != nil {
				return err
			}
		}
		return r.take(ctx, id)
	})
}

func (r *Runs) lock(ctx context.Context, id int) error {
	return r.Do(ctx, func(ctx context.Context) error {
		return r.take(ctx, id)
	})
}

// handle: tx transaction
func (r *Runs) take(ctx context.Context, id int) error {
	return r.exec(ctx, "SELECT id FROM runs WHERE id = $1 FOR UPDATE", id)
}

// Jobs is told of runs by a method of its own.
type Jobs struct{ *Joiner }

func Wire(db *sql.DB) *Runs {
	r := &Runs{Joiner: &Joiner{db}}
	r.After((&Jobs{r.Joiner}).cancel)
	return r
}

// cancel is told as if who else is given it called it as well.
//
// handle: pool statement; tx transaction
func (j *Jobs) cancel(ctx context.Context, id int) error {
	return j.exec(ctx, "SELECT id FROM jobs WHERE run_id = $1 FOR UPDATE", id)
}
