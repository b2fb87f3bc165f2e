package migrations

import (
	"context"
	"database/sql"
)

// Fill is no migration, wherever it stands.
func Fill(ctx context.Context, tx *sql.Tx, cents map[int64]int64) error {
	for id, n := range cents {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = $1 WHERE id = $2`, n, id); err != nil { // want unordered-lock-loop "whose order is random"
			return err
		}
	}
	return nil
}
