package activities

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/core"
	"example.test/memberconsole/internal/integrations/fedwiki/sitesdb"
	"example.test/memberconsole/internal/usage"
)

// SweepDowngradeActivity parks the sites of a workspace that its pool no longer
// pays for, those that rotated longest ago first.
func (a *Activities) SweepDowngradeActivity(ctx context.Context, workspaceID string) (int, error) {
	allowed, err := a.allowedSites(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	sites, err := sitesdb.New(a.db).ListActiveSites(ctx, workspaceID)
	if err != nil {
		return 0, fmt.Errorf("active sites of %s: %w", workspaceID, err)
	}
	parked := 0
	for int64(len(sites)-parked) > allowed {
		if err := a.parkSite(ctx, workspaceID, sites[parked].Domain); err != nil {
			return parked, err
		}
		parked++
	}
	return parked, nil
}

func (a *Activities) allowedSites(ctx context.Context, workspaceID string) (int64, error) {
	q := core.New(a.db)
	poolID, err := q.GetWorkspacePool(ctx, workspaceID)
	if err != nil {
		return 0, fmt.Errorf("pool of %s: %w", workspaceID, err)
	}
	held, err := q.ListEntitlements(ctx, poolID)
	if err != nil {
		return 0, fmt.Errorf("entitlements of %s: %w", poolID, err)
	}
	for _, e := range held {
		if e.ResourceKey == usage.SiteSlots {
			return e.Amount, nil
		}
	}
	return 0, nil
}

// parkSite parks a site on the farm and then in the console.
func (a *Activities) parkSite(ctx context.Context, workspaceID, domain string) error {
	if err := a.farm.SetStatus(ctx, domain, "parked"); err != nil {
		return fmt.Errorf("park %s: %w", domain, err)
	}
	return a.sweepLocally(ctx, workspaceID, domain)
}

// sweepLocally gives a site's slot back with the site's own row, so that a
// member who parks the same site cannot give it back a second time.
func (a *Activities) sweepLocally(ctx context.Context, workspaceID, domain string) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sweep %s: %w", domain, err)
	}
	defer tx.Rollback()
	was, err := moveSite(ctx, tx, domain, "parked")
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if was != "active" {
		return nil
	}
	if err := usage.Release(ctx, tx, workspaceID); err != nil {
		return fmt.Errorf("sweep %s: %w", domain, err)
	}
	return tx.Commit()
}

// ReactivateActivity brings a swept site back if there is a slot for it.
func (a *Activities) ReactivateActivity(ctx context.Context, workspaceID, domain string) (bool, error) {
	err := a.reactivateSite(ctx, workspaceID, domain)
	if errors.Is(err, usage.ErrExhausted) {
		return false, nil
	}
	return err == nil, err
}

// reactivateSite takes the slot in a statement of its own, asks the farm, and
// moves the site in a transaction afterwards.
func (a *Activities) reactivateSite(ctx context.Context, workspaceID, domain string) error {
	if err := usage.Take(ctx, a.db, workspaceID); err != nil {
		return err
	}
	if err := a.farm.SetStatus(ctx, domain, "active"); err != nil {
		return errors.Join(fmt.Errorf("reactivate %s: %w", domain, err), usage.Release(ctx, a.db, workspaceID))
	}
	return inTx(ctx, a.db, func(tx *sql.Tx) error {
		_, err := moveSite(ctx, tx, domain, "active")
		return err
	})
}

func inTx(ctx context.Context, db *sql.DB, fn func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}
