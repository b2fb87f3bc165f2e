// Package schema describes the tables to ent.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// An Account is a row of accounts.
type Account struct{ ent.Schema }

// Fields returns the columns.
func (Account) Fields() []ent.Field {
	return []ent.Field{field.Int64("id"), field.String("owner"), field.Int64("balance")}
}
