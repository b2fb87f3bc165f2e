package ways

import (
	"context"
	"database/sql"
)

// Refill writes rows that its statement has locked in the order of their key,
// of which one column is the same for all.
func Refill(ctx context.Context, tx *sql.Tx, tenant int64, keys []string) error {
	_, err := tx.ExecContext(ctx, `
		WITH locked AS (
			SELECT tenant, key FROM quotas WHERE tenant = $1 AND key = ANY ($2) ORDER BY tenant, key FOR UPDATE
		)
		UPDATE quotas q SET units = 0 FROM locked l WHERE l.tenant = q.tenant AND l.key = q.key`, tenant, keys)
	return err
}

// Drain locks them in the same order.
func Drain(ctx context.Context, tx *sql.Tx, tenant int64) error {
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM quotas WHERE tenant = $1 ORDER BY key FOR UPDATE`, tenant)
	return err
}
