// Package bun locks through uptrace/bun.
//
// library: bun
// lacks: Batch Copy
package bun

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
)

// An Account is a row of accounts.
type Account struct {
	bun.BaseModel `bun:"table:accounts"`
	ID            int64 `bun:",pk"`
	Owner         string
	Balance       int64
}

// An Entry is a row of entries.
type Entry struct {
	ID        int64 `bun:",pk"`
	AccountID int64
	Amount    int64
}

// locks: row accounts FOR UPDATE in pool; row entries FOR UPDATE in pool
func Text(ctx context.Context, db *bun.DB, id int64) (a Account, err error) {
	if err := db.NewRaw(`SELECT * FROM accounts WHERE id = ? FOR UPDATE`, id).Scan(ctx, &a); err != nil {
		return a, err
	}
	_, err = db.ExecContext(ctx, `SELECT 1 FROM entries WHERE account_id = ? ORDER BY id FOR UPDATE`, id)
	return a, err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, db *bun.DB, id int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: row accounts FOR UPDATE in tx
func Helper(ctx context.Context, db *bun.DB, id int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id)
		return err
	})
}

// locks: row accounts FOR UPDATE in savepoint
func Savepoint(ctx context.Context, db *bun.DB, id int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		return tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id)
			return err
		})
	})
}

// locks: row accounts FOR UPDATE in tx; row entries FOR UPDATE skip locked in tx
func Clause(ctx context.Context, db *bun.DB, id int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var a Account
		if err := tx.NewSelect().Model(&a).Where("id = ?", id).For("UPDATE").Scan(ctx); err != nil {
			return err
		}
		var entries []Entry
		q := tx.NewSelect().Model(&entries).Where("account_id = ?", id)
		q.Order("id").For("UPDATE SKIP LOCKED") // changes q itself
		return q.Scan(ctx)
	})
}

// locks: row accounts FOR NO KEY UPDATE in tx; row entries FOR UPDATE in tx
func Change(ctx context.Context, db *bun.DB, id int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model((*Account)(nil)).Set("balance = ?", 0).Where("id = ?", id).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*Entry)(nil)).Where("account_id = ?", id).Exec(ctx)
		return err
	})
}

// locks: advisory 7 exclusive in conn
func Pinned(ctx context.Context, db *bun.DB) error {
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

// locks: row accounts FOR UPDATE in caller
func Prepared(ctx context.Context, tx bun.Tx, id int64) error {
	stmt, err := tx.PrepareContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.ExecContext(ctx, id)
	return err
}

// locks: row accounts FOR UPDATE in pool
func Named(ctx context.Context, db *bun.DB, a *Account) error {
	return db.NewRaw(`SELECT * FROM ?0 WHERE id = ?1 FOR UPDATE`, bun.Ident("accounts"), a.ID).Scan(ctx, a)
}

// locks: row accounts FOR UPDATE in caller
func Struct(ctx context.Context, tx bun.Tx, id int64) (all []Account, err error) {
	err = tx.NewSelect().Table("accounts").Column("id", "owner", "balance").Where("id = ?", id).For("UPDATE").Scan(ctx, &all)
	return all, err
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db bun.IDB, id int64) error {
	_, err := db.NewSelect().Model((*Account)(nil)).Where("id = ?", id).For("UPDATE").Exec(ctx)
	return err
}
