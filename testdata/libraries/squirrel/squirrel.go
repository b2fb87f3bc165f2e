// Package squirrel locks through Masterminds/squirrel.
//
// library: squirrel
// lacks: Begin Helper Savepoint Pinned Batch Copy Named
package squirrel

import (
	"context"
	"database/sql"

	sq "github.com/Masterminds/squirrel"
)

var statements = sq.StatementBuilder.PlaceholderFormat(sq.Dollar)

// locks: row accounts FOR UPDATE in caller
func Text(ctx context.Context, tx *sql.Tx, id int64) error {
	query, args, err := sq.Expr(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).ToSql()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, query, args...)
	return err
}

// locks: row accounts FOR UPDATE in caller; row entries FOR UPDATE skip locked in caller
func Clause(ctx context.Context, tx *sql.Tx, id int64) error {
	var balance int64
	if err := statements.Select("balance").From("accounts").Where(sq.Eq{"id": id}).Suffix("FOR UPDATE").
		RunWith(tx).QueryRowContext(ctx).Scan(&balance); err != nil {
		return err
	}
	b := statements.Select("id").From("entries").Where("account_id = ?", id).OrderBy("id")
	b = b.Suffix("FOR UPDATE SKIP LOCKED")
	query, args, err := b.ToSql()
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return rows.Close()
}

// locks: row accounts FOR NO KEY UPDATE in caller; row entries FOR UPDATE in caller
func Change(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := sq.Update("accounts").Set("balance", sq.Expr("balance - ?", 1)).Where(sq.Eq{"id": id}).RunWith(tx).ExecContext(ctx); err != nil {
		return err
	}
	_, err := sq.Delete("entries").Where(sq.Eq{"account_id": id}).RunWith(tx).ExecContext(ctx)
	return err
}

// locks: row accounts FOR UPDATE in pool
func Prepared(ctx context.Context, db *sql.DB, id int64) error {
	cache := sq.NewStmtCache(db)
	_, err := statements.Select("1").From("accounts").Where(sq.Eq{"id": id}).Suffix("FOR UPDATE").RunWith(cache).ExecContext(ctx)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Struct(ctx context.Context, tx *sql.Tx, id int64) (owner string, balance int64, err error) {
	err = statements.Select("owner", "balance").From("accounts").Where(sq.Eq{"id": id}).Suffix("FOR UPDATE").
		RunWith(tx).ScanContext(ctx, &owner, &balance)
	return owner, balance, err
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db sq.BaseRunner, id int64) error {
	_, err := statements.Select("1").From("accounts").Where(sq.Eq{"id": id}).Suffix("FOR UPDATE").RunWith(db).Exec()
	return err
}
