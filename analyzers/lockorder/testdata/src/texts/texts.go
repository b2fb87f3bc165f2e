package texts

import (
	"context"
	"database/sql"
)

const (
	order = "SELECT 1 FROM orders WHERE id = $1 FOR UPDATE"
	bill  = "SELECT 1 FROM bills WHERE id = $1 FOR UPDATE"
)

// both runs what its callers give it: only they know the locks.
func both(ctx context.Context, db *sql.DB, first, second string, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, first, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, second, id); err != nil {
		return err
	}
	return tx.Commit()
}

func Ship(ctx context.Context, db *sql.DB, id int64) error {
	return both(ctx, db, order, bill, id)
}

func Pay(ctx context.Context, db *sql.DB, id int64) error {
	return both(ctx, db, bill, order, id) // want lock-order-cycle "Ship takes them in the opposite order"
}

type query struct{ text string }

type dialect interface{ setup() []query }

type postgres struct{}

func (postgres) setup() []query {
	return []query{{"SELECT pg_advisory_xact_lock(42)"}, {"CREATE TABLE IF NOT EXISTS orders (id bigint)"}}
}

type Store struct {
	db *sql.DB
	d  dialect
}

func New(db *sql.DB) *Store { return &Store{db, postgres{}} }

// Setup runs the statements that a method out of sight lists.
func (s *Store) Setup(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, q := range s.d.setup() {
		if _, err := tx.ExecContext(ctx, q.text); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Reset takes the lock of Setup after a row.
func Reset(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, order, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(42)"); err != nil { // want lock-order-cycle "Fill takes them in the opposite order"
		return err
	}
	return tx.Commit()
}

// Fill takes them in the order of a list.
func (s *Store) Fill(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, q := range s.d.setup()[:1] {
		if _, err := tx.ExecContext(ctx, q.text); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, order, id); err != nil {
		return err
	}
	return tx.Commit()
}
