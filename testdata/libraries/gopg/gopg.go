// Package gopg locks through go-pg/pg.
//
// library: go-pg
// lacks: Savepoint Batch
package gopg

import (
	"context"
	"io"

	"github.com/go-pg/pg/v10"
	"github.com/go-pg/pg/v10/orm"
)

// An Account is a row of accounts.
type Account struct {
	ID      int64
	Owner   string
	Balance int64
}

// An Entry is a row of entries.
type Entry struct {
	ID        int64
	AccountID int64
	Amount    int64
}

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *pg.DB, id int64) error {
	_, err := db.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id)
	return err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, db *pg.DB, id int64) error {
	tx, err := db.BeginContext(ctx)
	if err != nil {
		return err
	}
	defer tx.Close()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id); err != nil {
		return err
	}
	return tx.CommitContext(ctx)
}

// locks: row accounts FOR UPDATE in tx
func Helper(ctx context.Context, db *pg.DB, id int64) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id)
		return err
	})
}

// A Hold is a row of holds.
type Hold struct {
	ID        int64
	AccountID int64
}

// A runner is the part of pool and transaction that the program uses.
type runner interface {
	ExecContext(ctx context.Context, query any, params ...any) (pg.Result, error)
	RunInTransaction(ctx context.Context, fn func(*pg.Tx) error) error
}

// claim changes one hold that nobody else has.
func claim(ctx context.Context, db pg.DBI, id int64) error {
	free := db.Model((*Hold)(nil)).Column("id").Where("account_id = ?", id).For("UPDATE SKIP LOCKED").Limit(1)
	_, err := db.ModelContext(ctx, (*Hold)(nil)).Set("account_id = 0").Where("id = (?)", free).Update()
	return err
}

// receipts locks them in a transaction of its own, or in that of its caller.
func receipts(ctx context.Context, r runner, id int64) error {
	return r.RunInTransaction(ctx, func(tx *pg.Tx) error {
		var r runner = tx
		_, err := r.ExecContext(ctx, `SELECT 1 FROM receipts WHERE account_id = ? ORDER BY id FOR SHARE`, id)
		return err
	})
}

// locks: row accounts FOR UPDATE in tx; row entries FOR UPDATE skip locked in tx; row holds FOR UPDATE skip locked in tx; row holds FOR NO KEY UPDATE in tx; row receipts FOR SHARE in tx
func Clause(ctx context.Context, db *pg.DB, id int64) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error {
		var a Account
		if err := tx.ModelContext(ctx, &a).Where("id = ?", id).For("UPDATE").Select(); err != nil {
			return err
		}
		var entries []Entry
		if err := tx.ModelContext(ctx, &entries).Where("account_id = ?", id).Order("id").For("UPDATE SKIP LOCKED").Select(); err != nil {
			return err
		}
		if err := claim(ctx, tx, id); err != nil {
			return err
		}
		return receipts(ctx, tx, id)
	})
}

// locks: row accounts FOR NO KEY UPDATE in tx; row entries FOR UPDATE in tx
func Change(ctx context.Context, db *pg.DB, id int64) error {
	return db.RunInTransaction(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Model((*Account)(nil)).Set("balance = ?", 0).Where("id = ?", id).Update(); err != nil {
			return err
		}
		_, err := tx.Model((*Entry)(nil)).Where("account_id = ?", id).Delete()
		return err
	})
}

// locks: advisory 7 exclusive in conn
func Pinned(ctx context.Context, db *pg.DB) error {
	conn := db.Conn()
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(7)`); err != nil {
		return err
	}
	_, err := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(7)`)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Prepared(tx *pg.Tx, id int64) error {
	stmt, err := tx.Prepare(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.Exec(id)
	return err
}

// locks: table entries ROW EXCLUSIVE in caller
func Copy(tx *pg.Tx, r io.Reader) error {
	_, err := tx.CopyFrom(r, `COPY entries FROM STDIN`)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Named(tx *pg.Tx, a *Account) error {
	_, err := tx.QueryOne(a, `SELECT * FROM accounts WHERE id = ?id FOR UPDATE`, a)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Struct(tx *pg.Tx, id int64) (all []Account, err error) {
	_, err = tx.Query(&all, `SELECT * FROM accounts WHERE id = ? FOR UPDATE`, id)
	return all, err
}

// locks: row accounts FOR UPDATE in caller
func Either(db orm.DB, id int64) error {
	return db.Model(&Account{ID: id}).WherePK().For("UPDATE").Select()
}
