// Package sqlx locks through jmoiron/sqlx.
//
// library: sqlx
// lacks: Helper Savepoint Clause Change Batch Copy
package sqlx

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *sqlx.DB, id int64) (balance int64, err error) {
	err = db.QueryRowxContext(ctx, db.Rebind(`SELECT balance FROM accounts WHERE id = ? FOR UPDATE`), id).Scan(&balance)
	return balance, err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, db *sqlx.DB, ids []int64) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	query, args, err := sqlx.In(`SELECT id FROM accounts WHERE id IN (?) ORDER BY id FOR UPDATE`, ids)
	if err != nil {
		return err
	}
	tx.MustExecContext(ctx, tx.Rebind(query), args...)
	return tx.Commit()
}

// locks: advisory 7 exclusive in conn
func Pinned(ctx context.Context, db *sqlx.DB) error {
	conn, err := db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var got any
	if err := conn.GetContext(ctx, &got, `SELECT pg_advisory_lock(7)`); err != nil {
		return err
	}
	_, err = conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(7)`)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Prepared(ctx context.Context, tx *sqlx.Tx, id int64) (balance int64, err error) {
	stmt, err := tx.PrepareNamedContext(ctx, `SELECT balance FROM accounts WHERE id = :id FOR UPDATE`)
	if err != nil {
		return 0, err
	}
	err = stmt.GetContext(ctx, &balance, map[string]any{"id": id})
	return balance, err
}

// locks: row accounts FOR UPDATE in caller
func Named(ctx context.Context, tx *sqlx.Tx, id int64) error {
	_, err := tx.NamedExecContext(ctx, `SELECT 1 FROM accounts WHERE id = :id FOR UPDATE`, map[string]any{"id": id})
	return err
}

// An account is a row of accounts.
type account struct {
	ID      int64  `db:"id"`
	Owner   string `db:"owner"`
	Balance int64  `db:"balance"`
}

// locks: row accounts FOR UPDATE in caller; row accounts FOR SHARE in caller
func Struct(ctx context.Context, tx *sqlx.Tx, id int64) (a account, err error) {
	if err := tx.GetContext(ctx, &a, `SELECT * FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return a, err
	}
	var all []account
	err = tx.SelectContext(ctx, &all, `SELECT * FROM accounts WHERE owner = $1 ORDER BY id FOR SHARE`, a.Owner)
	return a, err
}

// locks: row accounts FOR UPDATE in caller; row entries FOR UPDATE in caller
func Either(ctx context.Context, db sqlx.ExtContext, id int64) (balance int64, err error) {
	if err := sqlx.GetContext(ctx, db, &balance, `SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return 0, err
	}
	_, err = sqlx.NamedExecContext(ctx, db, `SELECT 1 FROM entries WHERE id = :id FOR UPDATE`, map[string]any{"id": id})
	return balance, err
}
