package ways

import (
	"context"
	"database/sql"
)

// Sweep and Restore both look for shelves that are marked.
func Sweep(ctx context.Context, db *sql.DB, shelf, book int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM shelves s WHERE s.id = $1 AND s.is_deleted FOR UPDATE`, shelf); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE books SET title = '' WHERE id = $1 AND shelf = $2`, book, shelf)
		return err
	})
}

func Restore(ctx context.Context, db *sql.DB, shelf, book int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE books SET title = '' WHERE id = $1 AND shelf = $2`, book, shelf); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE shelves SET is_deleted = false WHERE id = $1 AND is_deleted = true`, shelf) // want lock-order-cycle "opposite order .possible deadlock.$"
		return err
	})
}
