package integration

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"example.test/memberconsole/internal/core"
)

// RegisterProviders stamps each resource key with the provider that answers
// for it. Keys are stamped in byte order, as entitlements are written.
func RegisterProviders(ctx context.Context, db *sql.DB, providers map[string]string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("register providers: %w", err)
	}
	defer tx.Rollback()
	q := core.New(tx)
	for _, key := range slices.Sorted(maps.Keys(providers)) {
		_, err := q.SetResourceKeyProvider(ctx, core.SetResourceKeyProviderParams{ResourceKey: key, Provider: providers[key]})
		if err != nil {
			return fmt.Errorf("register provider of %s: %w", key, err)
		}
	}
	return tx.Commit()
}
