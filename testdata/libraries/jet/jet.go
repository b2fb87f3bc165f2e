// Package jet locks through go-jet/jet.
//
// library: go-jet
// lacks: Begin Helper Savepoint Pinned Prepared Batch Copy
package jet

import (
	"context"
	"database/sql"

	pg "github.com/go-jet/jet/v2/postgres"
	"github.com/go-jet/jet/v2/qrm"

	. "libraries.test/jet/table"
)

// locks: row accounts FOR UPDATE in caller
func Text(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := pg.RawStatement(`SELECT 1 FROM accounts WHERE id = #id FOR UPDATE`, pg.RawArgs{"#id": id}).ExecContext(ctx, tx)
	return err
}

// locks: row accounts FOR UPDATE in caller; row entries FOR UPDATE skip locked in caller; table entries SHARE in caller
func Clause(ctx context.Context, tx *sql.Tx, id int64) error {
	var balance []struct{ Balance int64 }
	stmt := pg.SELECT(Accounts.Balance).FROM(Accounts).WHERE(Accounts.ID.EQ(pg.Int(id))).FOR(pg.UPDATE())
	if err := stmt.QueryContext(ctx, tx, &balance); err != nil {
		return err
	}
	query, args := Entries.SELECT(Entries.ID).WHERE(Entries.AccountID.EQ(pg.Int64(id))).ORDER_BY(Entries.ID.ASC()).
		FOR(pg.UPDATE().SKIP_LOCKED()).Sql()
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return err
	}
	_, err := pg.LOCK(Entries).IN(pg.LOCK_SHARE).ExecContext(ctx, tx)
	return err
}

// locks: row accounts FOR NO KEY UPDATE in caller; row entries FOR UPDATE in caller
func Change(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := Accounts.UPDATE().SET(Accounts.Balance.SET(pg.Int(0))).WHERE(Accounts.ID.EQ(pg.Int(id))).ExecContext(ctx, tx); err != nil {
		return err
	}
	_, err := Entries.DELETE().WHERE(Entries.AccountID.EQ(pg.Int(id))).ExecContext(ctx, tx)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Named(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := pg.RawStatement(`SELECT 1 FROM accounts WHERE id = $id FOR UPDATE`, pg.RawArgs{"$id": id}).ExecContext(ctx, tx)
	return err
}

// locks: row accounts FOR UPDATE in pool
func Struct(ctx context.Context, db *sql.DB, id int64) (all []struct{ Owner string }, err error) {
	err = pg.SELECT(Accounts.AllColumns).FROM(Accounts).WHERE(Accounts.ID.EQ(pg.Int(id))).FOR(pg.UPDATE()).QueryContext(ctx, db, &all)
	return all, err
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, db qrm.Queryable, id int64) (all []struct{ Owner string }, err error) {
	err = pg.SELECT(Accounts.Owner).FROM(Accounts).WHERE(Accounts.ID.EQ(pg.Int(id))).FOR(pg.UPDATE()).QueryContext(ctx, db, &all)
	return all, err
}
