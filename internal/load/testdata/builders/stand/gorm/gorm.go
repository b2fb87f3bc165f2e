// Package gorm has the signatures of the library, to be analysed and not run.
package gorm

import (
	"database/sql"

	"gorm.io/gorm/clause"
)

type DB struct {
	Error        error
	RowsAffected int64
}

type DeletedAt sql.NullTime

func (n *DeletedAt) Scan(any) error                                      { return nil }
func (n DeletedAt) Value() (any, error)                                  { return nil, nil }
func (db *DB) Clauses(...clause.Expression) *DB                          { return db }
func (db *DB) Model(any) *DB                                             { return db }
func (db *DB) Where(any, ...any) *DB                                     { return db }
func (db *DB) Order(any) *DB                                             { return db }
func (db *DB) Scopes(...func(*DB) *DB) *DB                               { return db }
func (db *DB) First(any, ...any) *DB                                     { return db }
func (db *DB) Find(any, ...any) *DB                                      { return db }
func (db *DB) Updates(any) *DB                                           { return db }
func (db *DB) Exec(string, ...any) *DB                                   { return db }
func (db *DB) Transaction(fn func(*DB) error, _ ...*sql.TxOptions) error { return fn(db) }
