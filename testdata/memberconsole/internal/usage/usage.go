// Package usage counts what a pool uses of a numeric entitlement.
package usage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/core"
	"example.test/memberconsole/internal/integrations/fedwiki/sitesdb"
)

// SiteSlots is the resource key under which active FedWiki sites count.
const SiteSlots = "fedwiki.sites"

// ErrExhausted is returned when a pool has no slot left.
var ErrExhausted = errors.New("no slot left")

// Take counts one more slot of a workspace. It is one statement, so it holds
// the counter no longer than the transaction of db.
func Take(ctx context.Context, db core.DBTX, workspaceID string) error {
	q := core.New(db)
	poolID, err := q.GetWorkspacePool(ctx, workspaceID)
	if err != nil {
		return fmt.Errorf("pool of workspace %s: %w", workspaceID, err)
	}
	_, err = q.AtomicIncrementUsage(ctx, core.AtomicIncrementUsageParams{PoolID: poolID, ResourceKey: SiteSlots})
	if errors.Is(err, sql.ErrNoRows) {
		return ErrExhausted
	}
	if err != nil {
		return fmt.Errorf("take slot of %s: %w", poolID, err)
	}
	return nil
}

// Release counts one slot of a workspace less; a counter at zero stays there.
func Release(ctx context.Context, db core.DBTX, workspaceID string) error {
	q := core.New(db)
	poolID, err := q.GetWorkspacePool(ctx, workspaceID)
	if err != nil {
		return fmt.Errorf("pool of workspace %s: %w", workspaceID, err)
	}
	_, err = q.AtomicDecrementUsage(ctx, core.AtomicDecrementUsageParams{PoolID: poolID, ResourceKey: SiteSlots})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("release slot of %s: %w", poolID, err)
	}
	return nil
}

// BoundWorkspace repairs the counter of a workspace at boot: it counts the
// active sites under the counter's lock and writes what it found.
func BoundWorkspace(ctx context.Context, db *sql.DB, workspaceID string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("bound %s: %w", workspaceID, err)
	}
	defer tx.Rollback()
	q := core.New(tx)
	poolID, err := q.GetWorkspacePool(ctx, workspaceID)
	if err != nil {
		return fmt.Errorf("bound %s: pool: %w", workspaceID, err)
	}
	if err := q.EnsureNumericUsage(ctx, core.EnsureNumericUsageParams{PoolID: poolID, ResourceKey: SiteSlots}); err != nil {
		return fmt.Errorf("bound %s: counter: %w", workspaceID, err)
	}
	used, err := q.LockNumericUsage(ctx, core.LockNumericUsageParams{PoolID: poolID, ResourceKey: SiteSlots})
	if err != nil {
		return fmt.Errorf("bound %s: lock: %w", workspaceID, err)
	}
	slots, err := sitesdb.New(tx).CountSiteSlots(ctx, workspaceID)
	if err != nil {
		return fmt.Errorf("bound %s: count: %w", workspaceID, err)
	}
	if used < slots {
		_, err = q.RaiseNumericUsageTo(ctx, core.RaiseNumericUsageToParams{PoolID: poolID, ResourceKey: SiteSlots, Used: slots})
	} else {
		_, err = q.BoundNumericUsage(ctx, core.BoundNumericUsageParams{PoolID: poolID, ResourceKey: SiteSlots, Used: slots})
	}
	if err != nil {
		return fmt.Errorf("bound %s: write: %w", workspaceID, err)
	}
	return tx.Commit()
}

// BoundAll repairs the counters of all workspaces, each in its own transaction.
func BoundAll(ctx context.Context, db *sql.DB) error {
	workspaces, err := core.New(db).ListWorkspaces(ctx)
	if err != nil {
		return fmt.Errorf("list workspaces: %w", err)
	}
	for _, id := range workspaces {
		if err := BoundWorkspace(ctx, db, id); err != nil {
			return err
		}
	}
	return nil
}
