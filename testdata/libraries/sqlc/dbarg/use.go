// The functions that lock through the code that sqlc generated beside this
// file.
//
// library: sqlc, db argument
// lacks: Helper Savepoint Clause Pinned Prepared Batch Copy Named
package dbarg

import (
	"context"
	"database/sql"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *sql.DB, id int64) (int64, error) {
	return New().LockAccount(ctx, db, id)
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := New().LockAccount(ctx, tx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: row accounts FOR NO KEY UPDATE in caller
func Change(ctx context.Context, tx *sql.Tx, id int64) error {
	return New().SetBalance(ctx, tx, SetBalanceParams{ID: id})
}

// locks: row entries FOR UPDATE skip locked in caller
func Struct(ctx context.Context, tx *sql.Tx, ids []int64) ([]int64, error) {
	return New().LockEntries(ctx, tx, ids)
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, q Querier, db DBTX, id int64) (int64, error) {
	return q.LockAccount(ctx, db, id)
}
