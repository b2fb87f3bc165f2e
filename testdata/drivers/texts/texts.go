// Package texts holds statements that other packages run.
package texts

import _ "embed"

//go:embed upsert.sql
var Upsert string
