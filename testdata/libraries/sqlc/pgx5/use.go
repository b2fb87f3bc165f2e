// The functions that lock through the code that sqlc generated beside this
// file.
//
// library: sqlc, pgx v5, interface
// lacks: Helper Savepoint Clause Pinned Prepared Named
package pgx5

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *pgxpool.Pool, id int64) (int64, error) {
	return New(db).LockAccount(ctx, id)
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := New(pool).WithTx(tx).LockAccount(ctx, id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// locks: row accounts FOR UPDATE in caller
func Batch(ctx context.Context, tx pgx.Tx, ids []int64) (err error) {
	New(tx).LockEach(ctx, ids).QueryRow(func(_ int, _ int64, e error) {
		err = e
	})
	return err
}

// locks: table entries ROW EXCLUSIVE in caller
func Copy(ctx context.Context, tx pgx.Tx, rows []CopyEntriesParams) (int64, error) {
	return New(tx).CopyEntries(ctx, rows)
}

// locks: row accounts FOR NO KEY UPDATE in caller
func Change(ctx context.Context, tx pgx.Tx, id int64) error {
	return New(tx).SetBalance(ctx, SetBalanceParams{ID: id})
}

// locks: row entries FOR UPDATE skip locked in caller
func Struct(ctx context.Context, tx pgx.Tx, ids []int64) ([]int64, error) {
	return New(tx).LockEntries(ctx, ids)
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, q Querier, id int64) (int64, error) {
	return q.LockAccount(ctx, id)
}
