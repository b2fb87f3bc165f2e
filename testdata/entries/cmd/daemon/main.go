// Command daemon works by itself.
package main

import (
	"context"
	"database/sql"
	"time"

	"entries.test/store"
)

type sweeper struct{ store *store.Store }

func main() {
	ctx := context.Background()
	db, err := sql.Open("pgx", "")
	if err != nil {
		panic(err)
	}
	s := &store.Store{DB: db}
	prepare(ctx, s)
	w := &sweeper{s}
	go w.run(ctx)
	select {}
}

// reached by: entries.test/cmd/daemon.main
func prepare(ctx context.Context, s *store.Store) {
	_ = s.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}

func (w *sweeper) run(ctx context.Context) {
	for range time.Tick(time.Minute) {
		w.sweep(ctx)
	}
}

// reached by: entries.test/cmd/daemon.main; goroutine of entries.test/cmd/daemon.main
func (w *sweeper) sweep(ctx context.Context) {
	_ = w.store.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
}
