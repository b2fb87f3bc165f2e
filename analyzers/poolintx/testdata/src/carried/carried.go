// Package carried keeps its transaction in a context or in a wrapper, and
// runs each statement on it where there is one.
package carried

import (
	"context"
	"database/sql"
)

type key struct{}

type wrapper struct{ tx *sql.Tx }

type Store struct{ db *sql.DB }

func from(ctx context.Context) *wrapper {
	v := ctx.Value(key{})
	if v != nil {
		if w, ok := v.(*wrapper); ok {
			return w
		}
	}
	return nil
}

func (s *Store) begin(ctx context.Context) (context.Context, *wrapper, bool, error) {
	if w := from(ctx); w != nil {
		return ctx, w, true, nil
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return ctx, nil, false, err
	}
	w := &wrapper{tx: tx}
	return context.WithValue(ctx, key{}, w), w, false, nil
}

func (s *Store) query(ctx context.Context, w *wrapper, q string, args ...any) (*sql.Rows, error) {
	if w == nil {
		w = from(ctx)
	}
	return s.run(ctx, w, q, args...)
}

func (s *Store) run(ctx context.Context, w *wrapper, q string, args ...any) (*sql.Rows, error) {
	if w != nil {
		return w.tx.QueryContext(ctx, q, args...)
	}
	return s.db.QueryContext(ctx, q, args...)
}

func (s *Store) commit(w *wrapper, outer bool) error {
	if outer {
		return nil
	}
	return w.tx.Commit()
}

func (s *Store) rollback(w *wrapper, outer bool) {
	if !outer {
		w.tx.Rollback()
	}
}

func (s *Store) cents(ctx context.Context, id int64) (bool, error) {
	rows, err := s.query(ctx, nil, `SELECT cents FROM accounts WHERE id = $1`, id)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	return rows.Next(), nil
}

func (s *Store) Add(ctx context.Context, id int64, check bool) error {
	ctx, w, outer, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer s.rollback(w, outer)
	if check {
		rows, err := s.query(ctx, w, `SELECT cents FROM accounts WHERE id = $1 FOR UPDATE`, id)
		if err != nil {
			return err
		}
		rows.Close()
	}
	if _, err := s.cents(ctx, id); err != nil {
		return err
	}
	if _, err := w.tx.ExecContext(ctx, `UPDATE accounts SET cents = cents + 1 WHERE id = $1`, id); err != nil {
		return err
	}
	return s.commit(w, outer)
}

// Wrong reads on a context that knows nothing of the transaction.
func (s *Store) Wrong(ctx context.Context, id int64) error {
	_, w, outer, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer s.rollback(w, outer)
	rows, err := s.db.QueryContext(ctx, `SELECT cents FROM accounts WHERE id = $1`, id) // want pool-in-tx "a statement runs on the pool while"
	if err != nil {
		return err
	}
	rows.Close()
	return s.commit(w, outer)
}
