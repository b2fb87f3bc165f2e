// Package squirrel has the signatures of the library, to be analysed and not run.
package squirrel

import (
	"context"
	"database/sql"
)

type PlaceholderFormat interface{ ReplacePlaceholders(string) (string, error) }

type dollar struct{}

func (dollar) ReplacePlaceholders(s string) (string, error) { return s, nil }

var Dollar = dollar{}

type BaseRunner interface {
	Exec(query string, args ...any) (sql.Result, error)
	Query(query string, args ...any) (*sql.Rows, error)
}

type Eq map[string]any

type (
	StatementBuilderType struct{}
	SelectBuilder        struct{}
	UpdateBuilder        struct{}
	InsertBuilder        struct{}
)

var StatementBuilder StatementBuilderType

func (b StatementBuilderType) PlaceholderFormat(PlaceholderFormat) StatementBuilderType { return b }
func (b StatementBuilderType) Select(...string) SelectBuilder                           { return SelectBuilder{} }
func (b StatementBuilderType) Update(string) UpdateBuilder                              { return UpdateBuilder{} }
func (b StatementBuilderType) Insert(string) InsertBuilder                              { return InsertBuilder{} }
func (b SelectBuilder) From(string) SelectBuilder                                       { return b }
func (b SelectBuilder) Where(any, ...any) SelectBuilder                                 { return b }
func (b SelectBuilder) OrderBy(...string) SelectBuilder                                 { return b }
func (b SelectBuilder) Limit(uint64) SelectBuilder                                      { return b }
func (b SelectBuilder) Suffix(string, ...any) SelectBuilder                             { return b }
func (b SelectBuilder) ToSql() (string, []any, error)                                   { return "", nil, nil }
func (b UpdateBuilder) Set(string, any) UpdateBuilder                                   { return b }
func (b UpdateBuilder) Where(any, ...any) UpdateBuilder                                 { return b }
func (b UpdateBuilder) RunWith(BaseRunner) UpdateBuilder                                { return b }
func (b UpdateBuilder) ExecContext(context.Context) (sql.Result, error)                 { return nil, nil }
func (b InsertBuilder) Columns(...string) InsertBuilder                                 { return b }
func (b InsertBuilder) Values(...any) InsertBuilder                                     { return b }
func (b InsertBuilder) RunWith(BaseRunner) InsertBuilder                                { return b }
func (b InsertBuilder) ExecContext(context.Context) (sql.Result, error)                 { return nil, nil }
