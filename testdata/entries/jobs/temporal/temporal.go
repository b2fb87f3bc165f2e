// Package temporal is entered by activities.
package temporal

import (
	"context"
	"database/sql"

	"go.temporal.io/sdk/worker"

	"entries.test/store"
)

// Activities do what workflows ask for.
type Activities struct{ store *store.Store }

type single struct{ store *store.Store }

// Register registers the activities.
func Register(w worker.Worker, s *store.Store) {
	w.RegisterActivity(&Activities{s})
	one := &single{s}
	w.RegisterActivity(one.close)
}

// reached by: activity Charge
func (a *Activities) Charge(ctx context.Context, id int64) error {
	return a.store.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}

// reached by: activity close
func (s *single) close(ctx context.Context, id int64) error {
	return s.store.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}
