// Package upper locks through upper/db.
//
// library: upper/db
// lacks: Begin Savepoint Pinned Batch Copy Named
package upper

import (
	"context"

	"github.com/upper/db/v4"
)

// An Account is a row of accounts.
type Account struct {
	ID      int64  `db:"id"`
	Owner   string `db:"owner"`
	Balance int64  `db:"balance"`
}

// locks: row accounts FOR UPDATE in caller
func Text(ctx context.Context, sess db.Session, id int64) error {
	_, err := sess.SQL().ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id)
	return err
}

// locks: row accounts FOR UPDATE in tx
func Helper(ctx context.Context, sess db.Session, id int64) error {
	return sess.TxContext(ctx, func(tx db.Session) error {
		_, err := tx.SQL().ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id)
		return err
	}, nil)
}

// locks: row accounts FOR UPDATE in tx
func Clause(sess db.Session, id int64) error {
	return sess.Tx(func(tx db.Session) error {
		var a Account
		return tx.SQL().SelectFrom("accounts").Where("id = ?", id).
			Amend(func(query string) string { return query + " FOR UPDATE" }).One(&a)
	})
}

// locks: row accounts FOR NO KEY UPDATE in tx; row entries FOR UPDATE in tx
func Change(ctx context.Context, sess db.Session, id int64) error {
	return sess.TxContext(ctx, func(tx db.Session) error {
		if _, err := tx.SQL().Update("accounts").Set("balance", 0).Where("id = ?", id).ExecContext(ctx); err != nil {
			return err
		}
		return tx.Collection("entries").Find(db.Cond{"account_id": id}).Delete()
	}, nil)
}

// locks: row accounts FOR UPDATE in caller
func Prepared(ctx context.Context, sess db.Session, id int64) error {
	stmt, err := sess.SQL().PrepareContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.ExecContext(ctx, id)
	return err
}

// locks: row accounts FOR UPDATE in caller
func Struct(ctx context.Context, sess db.Session, id int64) (all []Account, err error) {
	err = sess.SQL().IteratorContext(ctx, `SELECT * FROM accounts WHERE id = ? FOR UPDATE`, id).All(&all)
	return all, err
}

// locks: row accounts FOR UPDATE in caller
func Either(s db.SQL, id int64) error {
	_, err := s.Exec(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id)
	return err
}
