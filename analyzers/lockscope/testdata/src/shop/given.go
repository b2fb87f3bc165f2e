package shop

import (
	"context"
	"database/sql"
)

// A querier is a pool or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type boxes interface {
	Box(ctx context.Context, q querier, id int64) (int, error)
	Pool() *sql.DB
}

type boxStore struct{ db *sql.DB }

func (s *boxStore) Pool() *sql.DB { return s.db }

func (s *boxStore) Box(ctx context.Context, q querier, id int64) (n int, err error) {
	err = q.QueryRowContext(ctx, `SELECT n FROM boxes WHERE id = $1 FOR UPDATE`, id).Scan(&n) // want row-lock-outside-tx "FOR UPDATE"
	return n, err
}

// A Shelf gives its pool to what expects a transaction.
type Shelf struct{ store boxes }

func NewShelf(db *sql.DB) *Shelf { return &Shelf{store: &boxStore{db: db}} }

func (s *Shelf) Look(ctx context.Context, id int64) (int, error) {
	return s.store.Box(ctx, s.store.Pool(), id)
}

func (s *Shelf) Take(ctx context.Context, id int64) (int, error) {
	tx, err := s.store.Pool().BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	n, err := s.store.Box(ctx, tx, id)
	if err != nil {
		return 0, err
	}
	return n, tx.Commit()
}
