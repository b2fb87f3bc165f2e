// Package pgx3 locks through jackc/pgx up to v3.
//
// library: pgx v3
// lacks: Helper Savepoint Clause Change Named Struct
package pgx3

import (
	"context"

	"github.com/jackc/pgx"
)

// locks: row accounts FOR UPDATE in pool; row entries FOR SHARE in pool
func Text(ctx context.Context, pool *pgx.ConnPool, id int64) (balance int64, err error) {
	if _, err := pool.ExecEx(ctx, `SELECT 1 FROM entries WHERE account_id = $1 ORDER BY id FOR SHARE`, nil, id); err != nil {
		return 0, err
	}
	err = pool.QueryRow(`SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`, id).Scan(&balance)
	return balance, err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, pool *pgx.ConnPool, id int64) error {
	tx, err := pool.BeginEx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.CommitEx(ctx)
}

// locks: advisory 7 exclusive in conn
func Pinned(pool *pgx.ConnPool) error {
	conn, err := pool.Acquire()
	if err != nil {
		return err
	}
	defer pool.Release(conn)
	if _, err := conn.Exec(`SELECT pg_advisory_lock(7)`); err != nil {
		return err
	}
	_, err = conn.Exec(`SELECT pg_advisory_unlock(7)`)
	return err
}

// statements are prepared on each connection of a pool.
var statements = map[string]string{
	"lock account": `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`,
	"lock entry":   `SELECT 1 FROM entries WHERE id = $1 FOR SHARE`,
}

// Prepare prepares the statements.
func Prepare(conn *pgx.Conn) error {
	for name, text := range statements {
		if _, err := conn.Prepare(name, text); err != nil {
			return err
		}
	}
	return nil
}

// locks: row accounts FOR UPDATE in caller
func Prepared(conn *pgx.Conn, id int64) error {
	_, err := conn.Exec("lock account", id)
	return err
}

// locks: row accounts FOR UPDATE in caller; row entries FOR SHARE in caller
func Batch(ctx context.Context, tx *pgx.Tx, id int64) error {
	b := tx.BeginBatch()
	b.Queue(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, []any{id}, nil, nil)
	b.Queue(`SELECT 1 FROM entries WHERE account_id = $1 ORDER BY id FOR SHARE`, []any{id}, nil, nil)
	if err := b.Send(ctx, nil); err != nil {
		return err
	}
	return b.Close()
}

// locks: table entries ROW EXCLUSIVE in caller
func Copy(tx *pgx.Tx, rows [][]any) error {
	_, err := tx.CopyFrom(pgx.Identifier{"entries"}, []string{"id", "account_id", "amount"}, pgx.CopyFromRows(rows))
	return err
}

// A querier is what pool, connection and transaction share.
type querier interface {
	Exec(sql string, args ...any) (pgx.CommandTag, error)
}

// locks: row accounts FOR UPDATE in caller
func Either(db querier, id int64) error {
	_, err := db.Exec(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
	return err
}
