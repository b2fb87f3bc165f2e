// Package helper takes keys of families that it does not know.
package helper

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// Take has no caller in sight.
func Take(ctx context.Context, l *locks.Locker, tx pgx.Tx, k locks.Key) (bool, error) {
	return l.TryLock(ctx, tx, k)
}

// Run has none either.
func Run(ctx context.Context, m *locks.Sessions, k locks.Key, f func(context.Context) error) (bool, error) {
	return m.Do(ctx, k, 0, func(ctx context.Context, _ *locks.Session) error { return f(ctx) })
}
