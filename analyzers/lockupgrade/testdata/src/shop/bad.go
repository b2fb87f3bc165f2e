package shop

import (
	"context"
	"database/sql"
)

func Post(ctx context.Context, tx *sql.Tx, account, cents int64) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO entries (account_id, cents) VALUES ($1, $2)`, account, cents); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, account) // want lock-upgrade "row \"accounts\" raised from FOR KEY SHARE, taken by the foreign key of \"entries\", to FOR UPDATE"
	return err
}

func Touch(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR SHARE`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = $1`, id) // want lock-upgrade "row \"jobs\" raised from FOR SHARE to FOR NO KEY UPDATE in one transaction"
	return err
}
