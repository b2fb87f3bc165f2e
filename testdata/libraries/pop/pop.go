// Package pop locks through gobuffalo/pop.
//
// library: pop
// lacks: Savepoint Clause Pinned Prepared Batch Copy Named
package pop

import (
	"context"

	"github.com/gobuffalo/pop/v6"
)

// An Account is a row of accounts.
type Account struct {
	ID      int64  `db:"id"`
	Owner   string `db:"owner"`
	Balance int64  `db:"balance"`
}

// locks: row accounts FOR UPDATE in tx
func Text(c *pop.Connection, id int64) error {
	return c.Transaction(func(tx *pop.Connection) error {
		return tx.RawQuery(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Exec()
	})
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, c *pop.Connection, id int64) error {
	tx, err := c.NewTransactionContext(ctx)
	if err != nil {
		return err
	}
	if err := tx.RawQuery(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Exec(); err != nil {
		_ = tx.TX.Rollback()
		return err
	}
	return tx.TX.Commit()
}

// locks: row accounts FOR UPDATE in tx
func Helper(ctx context.Context, c *pop.Connection, id int64) error {
	return c.WithContext(ctx).Transaction(func(tx *pop.Connection) error {
		return tx.Transaction(func(tx *pop.Connection) error {
			return tx.RawQuery(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Exec()
		})
	})
}

// locks: row accounts FOR NO KEY UPDATE in tx; row accounts FOR UPDATE in tx
func Change(c *pop.Connection, a *Account) error {
	return c.Transaction(func(tx *pop.Connection) error {
		if err := tx.Update(a); err != nil {
			return err
		}
		return tx.Destroy(a)
	})
}

// locks: row accounts FOR UPDATE in tx
func Struct(c *pop.Connection, id int64) (a Account, err error) {
	err = c.Transaction(func(tx *pop.Connection) error {
		return tx.RawQuery(`SELECT * FROM accounts WHERE id = ? FOR UPDATE`, id).First(&a)
	})
	return a, err
}

// locks: row accounts FOR UPDATE in caller
func Either(c *pop.Connection, id int64) error {
	return c.RawQuery(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Exec()
}
