// Package river is entered by jobs.
package river

import (
	"context"
	"database/sql"

	"github.com/riverqueue/river"

	"entries.test/store"
)

// SweepArgs are the arguments of a job.
type SweepArgs struct{}

func (SweepArgs) Kind() string { return "sweep" }

// A SweepWorker works at sweeps.
type SweepWorker struct {
	river.WorkerDefaults[SweepArgs]
	store *store.Store
}

// Workers registers the workers.
func Workers(s *store.Store) *river.Workers {
	w := river.NewWorkers()
	river.AddWorker(w, &SweepWorker{store: s})
	return w
}

// reached by: job SweepWorker
func (w *SweepWorker) Work(ctx context.Context, job *river.Job[SweepArgs]) error {
	return w.store.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}
