// Package orm runs the statements of others. It imports the interfaces of
// drivers for what parameters are, and is none.
package orm

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

type Map struct{ DB *sql.DB }

func (m *Map) Run(ctx context.Context, query string, args ...any) error {
	for i, a := range args {
		if v, ok := a.(driver.Valuer); ok {
			plain, err := v.Value()
			if err != nil {
				return err
			}
			args[i] = plain
		}
	}
	_, err := m.DB.ExecContext(ctx, query, args...)
	return err
}

// Truncate is called by nobody.
func (m *Map) Truncate(ctx context.Context, dialect func() string) error {
	_, err := m.DB.ExecContext(ctx, dialect()+" "+dialect())
	return err
}
