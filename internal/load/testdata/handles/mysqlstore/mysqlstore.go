// Package mysqlstore keeps jobs in another database: its name and the driver
// that it imports say so.
package mysqlstore

import (
	"context"
	"database/sql"

	"example.test/mysql"
)

// A Queue works in a transaction that others begin.
type Queue struct{ Tx *sql.Tx }

func Open(dsn string) (*sql.DB, error) {
	c, err := mysql.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

func (q *Queue) Claim(ctx context.Context) error {
	_, err := q.Tx.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 4 FOR UPDATE")
	return err
}
