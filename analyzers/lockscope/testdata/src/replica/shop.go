package shop

import (
	"context"
	"database/sql"
)

type Store struct {
	primary     *sql.DB
	readReplica *sql.DB
	reader      *sql.DB
}

var standbyDB *sql.DB

// Claim locks where nobody writes.
func (s *Store) Claim(ctx context.Context, id int64) error {
	tx, err := s.readReplica.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id); err != nil { // want lock-on-replica "^row \"jobs\" .FOR UPDATE. is taken on a read replica .the server refuses it."
		return err
	}
	return tx.Commit()
}

// Guard takes an advisory lock that the primary never sees.
func Guard(ctx context.Context) error {
	tx, err := standbyDB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(801)`); err != nil { // want lock-on-replica "^advisory 801 .exclusive. is taken on a read replica .it keeps out nobody on the primary"
		return err
	}
	return tx.Commit()
}

// Read and write where each belongs.
func (s *Store) Move(ctx context.Context, id int64) error {
	var state string
	if err := s.readReplica.QueryRowContext(ctx, `SELECT state FROM jobs WHERE id = $1`, id).Scan(&state); err != nil {
		return err
	}
	tx, err := s.primary.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// A reader is no replica by that name alone.
func (s *Store) Reader(ctx context.Context, id int64) error {
	tx, err := s.reader.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.Commit()
}
