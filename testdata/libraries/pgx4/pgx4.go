// Package pgx4 locks through jackc/pgx v4.
//
// library: pgx v4
// lacks: Clause Change Named Struct
package pgx4

import (
	"context"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, pool *pgxpool.Pool, id int64) (balance int64, err error) {
	err = pool.QueryRow(ctx, `SELECT balance FROM accounts WHERE id = $1 FOR UPDATE`, id).Scan(&balance)
	return balance, err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{})
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// locks: row accounts FOR UPDATE in tx; row entries FOR UPDATE in tx
func Helper(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	return pool.BeginFunc(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		return pool.BeginTxFunc(ctx, pgx.TxOptions{AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `SELECT 1 FROM entries WHERE id = $1 FOR UPDATE`, id)
			return err
		})
	})
}

// locks: row accounts FOR UPDATE in savepoint
func Savepoint(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	return pool.BeginFunc(ctx, func(tx pgx.Tx) error {
		return tx.BeginFunc(ctx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
			return err
		})
	})
}

// locks: advisory 7 exclusive in conn; advisory 8 exclusive in conn
func Pinned(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(7)`); err != nil {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(7)`)
	return pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if _, err := c.Conn().Exec(ctx, `SELECT pg_advisory_lock(8)`); err != nil {
			return err
		}
		_, err := c.Conn().Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(8)`)
		return err
	})
}

// locks: row accounts FOR UPDATE in caller
func Prepared(ctx context.Context, conn *pgx.Conn, id int64) error {
	if _, err := conn.Prepare(ctx, "lock account", `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "lock account", id)
	return err
}

// locks: row accounts FOR UPDATE in caller; row entries FOR SHARE in caller
func Batch(ctx context.Context, tx pgx.Tx, id int64) error {
	b := &pgx.Batch{}
	b.Queue(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
	b.Queue(`SELECT 1 FROM entries WHERE account_id = $1 ORDER BY id FOR SHARE`, id)
	return tx.SendBatch(ctx, b).Close()
}

// locks: table entries ROW EXCLUSIVE in tx; table accounts ROW EXCLUSIVE in tx
func Copy(ctx context.Context, pool *pgxpool.Pool, rows [][]any) error {
	return pool.BeginFunc(ctx, func(tx pgx.Tx) error {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"entries"}, []string{"id", "account_id", "amount"}, pgx.CopyFromRows(rows)); err != nil {
			return err
		}
		_, err := tx.Conn().PgConn().CopyFrom(ctx, nil, `COPY accounts FROM STDIN`)
		return err
	})
}

// A querier is what pool, connection and transaction share.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db querier, id int64) error {
	_, err := db.Exec(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
	return err
}
