package shop

import (
	"context"
	"database/sql"
)

type Store struct{ db, locks *sql.DB }

func (s *Store) bump(ctx context.Context, id int64) error {
	_, err := s.db.ExecContext(ctx, `UPDATE accounts SET cents = cents + 1 WHERE id = $1`, id) // want pool-in-tx "a statement runs on the pool while Add has a transaction of the same pool open" self-deadlock "row \"accounts\" \\(FOR NO KEY UPDATE\\) is wanted on a second connection while the same call chain holds it"
	return err
}

func (s *Store) Add(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if err := s.bump(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Store) Nested(ctx context.Context) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	tx, err := s.db.BeginTx(ctx, nil) // want pool-nested-acquire "a transaction is begun on the pool while Nested has a connection of it pinned"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = 1`); err != nil {
		return err
	}
	return tx.Commit()
}
