package handles

import (
	"context"
	"database/sql"
)

// statementTable is a table of statements and where they are kept.
type statementTable []struct {
	Statement **sql.Stmt
	SQL       string
}

func (t statementTable) prepare(db *sql.DB) (err error) {
	for _, row := range t {
		if *row.Statement, err = db.Prepare(row.SQL); err != nil {
			return err
		}
	}
	return nil
}

const lockRoom = "SELECT 1 FROM rooms WHERE id = $1 FOR UPDATE"

type rooms struct{ find, lock *sql.Stmt }

func newRooms(db *sql.DB) (*rooms, error) {
	r := &rooms{}
	return r, statementTable{
		{&r.find, "SELECT 1 FROM rooms WHERE id = $1"},
		{&r.lock, lockRoom},
	}.prepare(db)
}

// on returns the statement within a transaction, if there is one.
func on(tx *sql.Tx, s *sql.Stmt) *sql.Stmt {
	if tx != nil {
		s = tx.Stmt(s)
	}
	return s
}

// handle: tx transaction
func (r *rooms) Lock(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := on(tx, r.lock).ExecContext(ctx, id)
	return err
}

func Enter(ctx context.Context, db *sql.DB, id int64) error {
	r, err := newRooms(db)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := r.Lock(ctx, tx, id); err != nil {
		return err
	}
	return tx.Commit()
}
