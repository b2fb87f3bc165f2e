// Package pq locks through database/sql with what lib/pq adds to it.
//
// library: lib/pq
// lacks: Helper Savepoint Clause Change Batch Named Struct Prepared Either
package pq

import (
	"context"
	"database/sql"

	"github.com/lib/pq"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *sql.DB, ids []int64) (balance int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT balance FROM accounts WHERE id = ANY($1) ORDER BY id FOR UPDATE`, pq.Array(ids)).Scan(&balance)
	return balance, err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, dsn string, id int64) error {
	connector, err := pq.NewConnector(dsn)
	if err != nil {
		return err
	}
	tx, err := sql.OpenDB(connector).BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM `+pq.QuoteIdentifier("accounts")+` WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: advisory 7 exclusive in conn
func Pinned(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(7)`); err != nil {
		return err
	}
	_, err = conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(7)`)
	return err
}

// locks: table entries ROW EXCLUSIVE in tx
func Copy(ctx context.Context, db *sql.DB, rows [][]any) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	stmt, err := tx.PrepareContext(ctx, pq.CopyIn("entries", "id", "account_id", "amount"))
	if err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := stmt.ExecContext(ctx, r...); err != nil {
			return err
		}
	}
	if _, err := stmt.ExecContext(ctx); err != nil {
		return err
	}
	return tx.Commit()
}
