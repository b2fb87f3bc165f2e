package ways

import (
	"context"
	"database/sql"
)

// Purge removes a board that was marked as deleted long before, and its
// cards: AddCard, which looks for boards that are not, meets it only if it
// came to the board before the mark.
func Purge(ctx context.Context, db *sql.DB, board int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM boards WHERE id = $1 AND (deleted_at < now() - interval '30 days' OR deleted_at IS NOT NULL) FOR UPDATE`, board); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM cards WHERE board = $1`, board)
		return err
	})
}

func AddCard(ctx context.Context, db *sql.DB, board, card int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE cards SET title = '' WHERE id = $1 AND board = $2`, card, board); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM boards WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`, board) // want lock-order-cycle "possible deadlock; row .boards. is locked only once deleted_at marks it"
		return err
	})
}

func within(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
