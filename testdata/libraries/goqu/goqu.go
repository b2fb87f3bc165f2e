// Package goqu locks through doug-martin/goqu.
//
// library: goqu
// lacks: Savepoint Pinned Batch Copy Named
package goqu

import (
	"context"
	"fmt"

	"github.com/doug-martin/goqu/v9"
	_ "github.com/doug-martin/goqu/v9/dialect/postgres" // the dialect
	"github.com/doug-martin/goqu/v9/exp"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *goqu.Database, id int64) error {
	_, err := db.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
	return err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, db *goqu.Database, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	return tx.Wrap(func() error {
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
		return err
	})
}

// locks: row accounts FOR UPDATE in tx
func Helper(ctx context.Context, db *goqu.Database, id int64) error {
	return db.WithTx(func(tx *goqu.TxDatabase) error {
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
		return err
	})
}

// locks: advisory hashtextextended('account:' || $1, 0) exclusive in tx; row accounts FOR UPDATE in tx; row entries FOR KEY SHARE in tx; row entries FOR UPDATE skip locked in tx
func Clause(ctx context.Context, db *goqu.Database, id int64) error {
	return db.WithTx(func(tx *goqu.TxDatabase) error {
		var balance int64
		if _, err := tx.From("accounts").Select("balance").Where(goqu.C("id").Eq(id)).ForUpdate(exp.Wait).ScanValContext(ctx, &balance); err != nil {
			return err
		}
		key := fmt.Sprintf("account:%d", id)
		query, args, err := goqu.Dialect("postgres").Select(goqu.Func("pg_advisory_xact_lock", goqu.Func("hashtextextended", key, int64(0)))).Prepared(true).ToSQL()
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return err
		}
		entries := goqu.Dialect("postgres").From(goqu.T("entries").As("e")).Select(goqu.I("e.account_id")).Where(goqu.I("e.id").Eq(id)).ForKeyShare(exp.Wait).As("locked")
		accounts := goqu.T("accounts").As("a")
		query, args, err = goqu.Dialect("postgres").From(entries).Join(accounts, goqu.On(accounts.Col("id").Eq(goqu.I("locked.account_id")))).
			Select(accounts.Col("id"), goqu.COALESCE(accounts.Col("owner"), goqu.L("''")).As("owner")).ForUpdate(exp.Wait, goqu.T("a")).Prepared(true).ToSQL()
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return err
		}
		query, args, err = goqu.Dialect("postgres").From("entries").Where(goqu.Ex{"account_id": id}).Order(goqu.I("id").Asc()).ForUpdate(exp.SkipLocked).Prepared(true).ToSQL()
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, query, args...)
		return err
	})
}

// locks: row accounts FOR NO KEY UPDATE in caller; row entries FOR UPDATE in caller
func Change(ctx context.Context, tx *goqu.TxDatabase, id int64) error {
	if _, err := tx.Update("accounts").Set(goqu.Record{"balance": 0}).Where(goqu.C("id").Eq(id)).Executor().ExecContext(ctx); err != nil {
		return err
	}
	if _, err := tx.Insert("accounts").Rows(goqu.Record{"id": id, "owner": "me"}).OnConflict(goqu.DoUpdate("id", goqu.Record{"owner": "me"})).Executor().ExecContext(ctx); err != nil {
		return err
	}
	_, err := tx.Delete("entries").Where(goqu.C("account_id").Eq(id)).Executor().ExecContext(ctx)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Prepared(ctx context.Context, tx *goqu.TxDatabase, id int64) error {
	stmt, err := tx.PrepareContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.ExecContext(ctx, id)
	return err
}

// An account is a row of accounts.
type account struct {
	ID      int64  `db:"id"`
	Owner   string `db:"owner"`
	Balance int64  `db:"balance"`
}

// locks: row accounts FOR UPDATE in caller
func Struct(ctx context.Context, tx *goqu.TxDatabase, id int64) (a account, err error) {
	_, err = tx.From("accounts").Where(goqu.C("id").Eq(id)).ForUpdate(exp.Wait).ScanStructContext(ctx, &a)
	return a, err
}

// A selecter is what pool and transaction share.
type selecter interface {
	From(from ...any) *goqu.SelectDataset
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db selecter, id int64) (a account, err error) {
	_, err = db.From("accounts").Where(goqu.C("id").Eq(id)).ForUpdate(exp.Wait).ScanStructContext(ctx, &a)
	return a, err
}
