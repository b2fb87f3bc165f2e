// Package scany locks through georgysavva/scany.
//
// library: scany
// lacks: Begin Helper Savepoint Clause Change Pinned Prepared Batch Copy Named
package scany

import (
	"context"
	"database/sql"

	"github.com/georgysavva/scany/v2/pgxscan"
	"github.com/georgysavva/scany/v2/sqlscan"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// An account is a row of accounts.
type account struct {
	ID      int64
	Owner   string
	Balance int64
}

// locks: row accounts FOR UPDATE in pool; row accounts FOR SHARE in caller
func Text(ctx context.Context, pool *pgxpool.Pool, tx *sql.Tx, id int64) (a account, err error) {
	if err := pgxscan.Get(ctx, pool, &a, `SELECT * FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return a, err
	}
	err = sqlscan.Get(ctx, tx, &a, `SELECT * FROM accounts WHERE id = $1 FOR SHARE`, id)
	return a, err
}

// locks: row accounts FOR UPDATE in caller; row entries FOR UPDATE in caller
func Struct(ctx context.Context, tx pgx.Tx, id int64) (all []*account, err error) {
	if err := pgxscan.Select(ctx, tx, &all, `SELECT * FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `SELECT account_id AS id FROM entries WHERE account_id = $1 ORDER BY id FOR UPDATE`, id)
	if err != nil {
		return nil, err
	}
	err = pgxscan.ScanAll(&all, rows)
	return all, err
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db pgxscan.Querier, id int64) (a account, err error) {
	err = pgxscan.Get(ctx, db, &a, `SELECT * FROM accounts WHERE id = $1 FOR UPDATE`, id)
	return a, err
}
