package shop

import (
	"context"
	"database/sql"
)

func Pay(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM entries WHERE id = $1 FOR UPDATE`, id); err != nil { // want undocumented-lock "row \"entries\""
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id) // want undocumented-lock "^nothing says what row \"jobs\" serializes"
	return err
}
