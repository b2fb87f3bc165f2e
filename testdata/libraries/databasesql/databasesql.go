// Package databasesql locks through database/sql.
//
// library: database/sql
// lacks: Helper Clause Change Batch Copy Named Struct
package databasesql

import (
	"context"
	"database/sql"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *sql.DB, id int64) (balance int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`, id).Scan(&balance)
	return balance, err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: row accounts FOR UPDATE nowait in tx
func Savepoint(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SAVEPOINT before`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE NOWAIT`, id); err != nil {
		if _, err := tx.ExecContext(ctx, `ROLLBACK TO SAVEPOINT before`); err != nil {
			return err
		}
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

// locks: row accounts FOR UPDATE in tx
func Prepared(ctx context.Context, db *sql.DB, ids []int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	stmt, err := tx.PrepareContext(ctx, `SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, id := range ids {
		var balance int64
		if err := stmt.QueryRowContext(ctx, id).Scan(&balance); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// A queryer is what pool, connection and transaction share.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db queryer, id int64) (balance int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`, id).Scan(&balance)
	return balance, err
}
