package shop

import (
	"context"
	"database/sql"
)

func Pay(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('owner:' || $1, 0))`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE entries SET cents = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id) // want unplaced-lock "^the declared order does not place row \"jobs\""
	return err
}
