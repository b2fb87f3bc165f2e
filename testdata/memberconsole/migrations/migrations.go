// Package migrations holds the schema as goose applies it.
package migrations

import "embed"

// Files are the migrations in the order of their names.
//
//go:embed *.sql
var Files embed.FS
