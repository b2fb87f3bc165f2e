package shop

import "context"

// A read on the pool before the transaction needs one connection at a time.
func (s *Store) Before(ctx context.Context, id int64) error {
	var cents int64
	if err := s.db.QueryRowContext(ctx, `SELECT cents FROM accounts WHERE id = $1`, id).Scan(&cents); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = $2 WHERE id = $1`, id, cents+1); err != nil {
		return err
	}
	return tx.Commit()
}

// Locks have a pool of their own.
func (s *Store) Apart(ctx context.Context) error {
	conn, err := s.locks.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = s.db.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = 1`)
	return err
}

// After the commit the first connection is free.
func (s *Store) After(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = 1`); err != nil {
		tx.Rollback()
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `UPDATE jobs SET state = 'seen' WHERE id = 1`)
	return err
}
