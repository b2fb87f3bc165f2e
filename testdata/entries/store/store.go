// Package store locks accounts.
package store

import (
	"context"
	"database/sql"
)

// A Store keeps accounts.
type Store struct{ DB *sql.DB }

// Touch locks an account in a transaction.
func (s *Store) Touch(ctx context.Context, touch func(tx *sql.Tx) error) error {
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := touch(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Lock locks an account.
func Lock(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = 1 FOR UPDATE`)
	return err
}
