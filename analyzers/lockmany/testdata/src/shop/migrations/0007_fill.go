// Package migrations holds migrations that are written in Go.
package migrations

import (
	"context"
	"database/sql"
)

// Up0007 runs once: nobody runs it at the same time the other way.
func Up0007(ctx context.Context, tx *sql.Tx, cents map[int64]int64) error {
	for id, n := range cents {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = $1 WHERE id = $2`, n, id); err != nil {
			return err
		}
	}
	return nil
}
