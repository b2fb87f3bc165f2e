// The functions that lock through the code that sqlc generated beside this
// file.
//
// library: sqlc, prepared
// lacks: Helper Savepoint Clause Pinned Batch Copy Named
package prepared

import (
	"context"
	"database/sql"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *sql.DB, id int64) (int64, error) {
	return New(db).LockAccount(ctx, id)
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := New(db).WithTx(tx).LockAccount(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: row accounts FOR UPDATE in tx
func Prepared(ctx context.Context, db *sql.DB, id int64) error {
	q, err := Prepare(ctx, db)
	if err != nil {
		return err
	}
	defer q.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := q.WithTx(tx).LockAccount(ctx, id); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: row accounts FOR NO KEY UPDATE in caller
func Change(ctx context.Context, tx *sql.Tx, id int64) error {
	return New(tx).SetBalance(ctx, SetBalanceParams{ID: id})
}

// locks: row entries FOR UPDATE skip locked in caller
func Struct(ctx context.Context, tx *sql.Tx, ids []int64) ([]int64, error) {
	return New(tx).LockEntries(ctx, ids)
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db DBTX, id int64) (int64, error) {
	return New(db).LockAccount(ctx, id)
}
