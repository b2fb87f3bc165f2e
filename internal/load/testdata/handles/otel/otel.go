// Package otel tells what the pools of others do.
package otel

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// traced is a driver that tells what the one it wraps does.
type traced struct{ driver.Driver }

func (t *traced) Connect(context.Context) (driver.Conn, error) { return t.Open("") }

// Open opens a pool of a driver and tells what it does.
func Open(driverName, dataSource string) (*sql.DB, error) {
	db, err := sql.Open(driverName, dataSource)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return sql.OpenDB(connector{&traced{db.Driver()}}), nil
}

type connector struct{ *traced }

func (c connector) Driver() driver.Driver { return c.traced }
