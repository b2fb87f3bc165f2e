package shop

import (
	"context"
	"database/sql"
)

// FOR NO KEY UPDATE does not conflict with the foreign key's FOR KEY SHARE.
func PostWeak(ctx context.Context, tx *sql.Tx, account, cents int64) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO entries (account_id, cents) VALUES ($1, $2)`, account, cents); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = cents + $2 WHERE id = $1`, account, cents)
	return err
}

// The strongest mode comes first.
func PostStrong(ctx context.Context, tx *sql.Tx, account, cents int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, account); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO entries (account_id, cents) VALUES ($1, $2)`, account, cents); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, account)
	return err
}

// Another row is another lock.
func TouchOther(ctx context.Context, tx *sql.Tx, a, b int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR SHARE`, a); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = $1`, b)
	return err
}
