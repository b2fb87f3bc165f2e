// Package cron is entered by a schedule.
package cron

import (
	"context"
	"database/sql"

	"github.com/robfig/cron/v3"

	"entries.test/store"
)

type sweeper struct{ store *store.Store }

// Start starts the schedule.
func Start(s *store.Store) error {
	w := &sweeper{s}
	c := cron.New()
	if _, err := c.AddFunc("@hourly", w.sweep); err != nil {
		return err
	}
	if _, err := c.AddJob("0 3 * * *", &nightly{s}); err != nil {
		return err
	}
	c.Start()
	return nil
}

// reached by: cron @hourly
func (w *sweeper) sweep() {
	_ = w.store.Touch(context.Background(), func(tx *sql.Tx) error { return store.Lock(context.Background(), tx) })
}

type nightly struct{ store *store.Store }

// reached by: cron 0 3 * * *
func (n *nightly) Run() {
	_ = n.store.Touch(context.Background(), func(tx *sql.Tx) error { return store.Lock(context.Background(), tx) })
}
