package shop

import (
	"context"
	"database/sql"
)

// LockOrg has a SQL function take the lock and do nothing else.
func LockOrg(ctx context.Context, db *sql.DB, org string) error {
	if _, err := db.ExecContext(ctx, `SELECT lock_org($1)`, org); err != nil { // want xact-lock-outside-tx "transaction lock advisory org: is taken on a pool"
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE org_quotas SET used = 0 WHERE org = $1`, org)
	return err
}

// BumpOrg has one do the work under the lock.
func BumpOrg(ctx context.Context, db *sql.DB, org string) error {
	_, err := db.ExecContext(ctx, `SELECT bump_org($1)`, org)
	return err
}

// HoldOrg takes the lock in a transaction.
func HoldOrg(ctx context.Context, db *sql.DB, org string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT lock_org($1)`, org); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE org_quotas SET used = 0 WHERE org = $1`, org); err != nil {
		return err
	}
	return tx.Commit()
}
