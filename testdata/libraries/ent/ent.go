// Package ent locks through a client that entgo.io/ent generated, with the
// features sql/lock and sql/execquery.
//
// library: ent
// lacks: Helper Savepoint Pinned Prepared Batch Copy Named
package ent

import (
	"context"
	"database/sql"

	entsql "entgo.io/ent/dialect/sql"

	"libraries.test/ent/db"
	"libraries.test/ent/db/account"
)

//go:generate go run entgo.io/ent/cmd/ent generate --feature sql/lock,sql/execquery --target db ./schema

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, client *db.Client, id int64) error {
	_, err := client.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
	return err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, client *db.Client, id int64) error {
	tx, err := client.BeginTx(ctx, &sql.TxOptions{})
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return tx.Rollback()
	}
	return tx.Commit()
}

// locks: row accounts FOR UPDATE in tx; row accounts FOR SHARE skip locked in tx
func Clause(ctx context.Context, client *db.Client, id int64) error {
	tx, err := client.Tx(ctx)
	if err != nil {
		return err
	}
	if _, err := tx.Account.Query().Where(account.ID(id)).ForUpdate().Only(ctx); err != nil {
		return tx.Rollback()
	}
	q := tx.Client().Account.Query().Where(account.OwnerEQ("bank")).Order(account.ByID())
	if _, err := q.ForShare(entsql.WithLockAction(entsql.SkipLocked)).All(ctx); err != nil {
		return tx.Rollback()
	}
	return tx.Commit()
}

// locks: row accounts FOR NO KEY UPDATE in caller; row accounts FOR UPDATE in caller
func Change(ctx context.Context, tx *db.Tx, id int64) error {
	if _, err := tx.Account.UpdateOneID(id).AddBalance(-1).Save(ctx); err != nil {
		return err
	}
	if _, err := tx.Account.Update().Where(account.OwnerEQ("bank")).SetBalance(0).Save(ctx); err != nil {
		return err
	}
	_, err := tx.Account.Delete().Where(account.ID(id)).Exec(ctx)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Struct(ctx context.Context, tx *db.Tx, id int64) (all []struct{ Owner string }, err error) {
	err = tx.Account.Query().Where(account.ID(id)).ForUpdate().Select(account.FieldOwner).Scan(ctx, &all)
	return all, err
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, accounts *db.AccountClient, id int64) (*db.Account, error) {
	return accounts.Query().Where(account.ID(id)).ForUpdate().First(ctx)
}
