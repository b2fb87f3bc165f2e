// Package handles runs statements on connections that come from elsewhere. The
// comment above each function says on which its statements lock, and how long.
package handles

import (
	"context"
	"database/sql"
	"sync"
)

type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

type Backend struct {
	mu  sync.Mutex
	dsn string
	db  *sql.DB
}

// open opens the pool when it is first asked for.
func (b *Backend) open() (version int, db *sql.DB, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db != nil {
		return 1, b.db, nil
	}
	db, err = sql.Open("postgres", b.dsn)
	if err != nil {
		return 0, nil, err
	}
	b.db = db
	return 1, db, nil
}

// handle: pool statement
func expire(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "SELECT 1 FROM services WHERE id = 1 FOR UPDATE SKIP LOCKED")
	return err
}

func Start(ctx context.Context, b *Backend) {
	go every(ctx, func(ctx context.Context) error {
		_, db, err := b.open()
		if err != nil {
			return err
		}
		return expire(ctx, db)
	})
}

func every(ctx context.Context, f func(context.Context) error) {
	for ctx.Err() == nil {
		_ = f(ctx)
	}
}

type server struct{ *Backend }

// handle: pool statement
func put(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "SELECT 1 FROM endpoints WHERE id = 1 FOR UPDATE")
	return err
}

func passOn(ctx context.Context, q querier) error { return put(ctx, q) }

// Report is a method of a type that nobody outside can name.
func (s server) Report(ctx context.Context) error {
	_, db, err := s.open()
	if err != nil {
		return err
	}
	return passOn(ctx, db)
}
