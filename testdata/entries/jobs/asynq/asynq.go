// Package asynq is entered by tasks.
package asynq

import (
	"context"
	"database/sql"

	"github.com/hibiken/asynq"

	"entries.test/store"
)

type worker struct{ store *store.Store }

// Mux registers the tasks.
func Mux(s *store.Store) *asynq.ServeMux {
	w := &worker{s}
	mux := asynq.NewServeMux()
	mux.HandleFunc("account:close", w.close)
	mux.Handle("account:audit", &auditor{s})
	return mux
}

// reached by: task account:close
func (w *worker) close(ctx context.Context, _ *asynq.Task) error {
	return w.store.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}

type auditor struct{ store *store.Store }

// reached by: task account:audit
func (a *auditor) ProcessTask(ctx context.Context, _ *asynq.Task) error {
	return a.store.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}
