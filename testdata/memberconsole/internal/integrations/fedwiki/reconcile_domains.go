// Package fedwiki joins the console to a FedWiki farm.
package fedwiki

import (
	"context"
	"database/sql"
	"fmt"

	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/integrations/fedwiki/sitesdb"
)

// OwnerKind is the kind under which sites hold names.
const OwnerKind = "fedwiki"

// Farm is the host of the sites.
type Farm interface {
	SetStatus(ctx context.Context, domain, status string) error
}

// ReconcileDomains makes the registry agree with the sites at boot: a name
// without a site is released, a site without a name is adopted.
func ReconcileDomains(ctx context.Context, db *sql.DB, registry *domains.Registry) error {
	held, err := registry.OfKind(ctx, OwnerKind)
	if err != nil {
		return err
	}
	sites, err := sitesdb.New(db).ListSites(ctx)
	if err != nil {
		return fmt.Errorf("list sites: %w", err)
	}
	live := make(map[string]bool, len(sites))
	for _, s := range sites {
		live[s.Domain] = true
	}
	named := make(map[string]bool, len(held))
	for _, h := range held {
		named[h.Name] = true
		if live[h.Name] {
			continue
		}
		err := registry.WithLock(ctx, func(tx *domains.Tx) error {
			return tx.Release(ctx, h.Name, h.Owner)
		})
		if err != nil {
			return fmt.Errorf("release orphan: %w", err)
		}
	}
	for _, s := range sites {
		if named[s.Domain] {
			continue
		}
		if err := adopt(ctx, registry, s); err != nil {
			return fmt.Errorf("adopt site: %w", err)
		}
	}
	return nil
}

func adopt(ctx context.Context, registry *domains.Registry, s sitesdb.ListSitesRow) error {
	return registry.WithLock(ctx, func(tx *domains.Tx) error {
		return tx.Adopt(ctx, s.Domain, domains.Owner{Kind: OwnerKind, ID: s.SiteID})
	})
}

// SyncPlacement marks the name of a site as served.
func SyncPlacement(ctx context.Context, registry *domains.Registry, domain, siteID string) error {
	return registry.WithLock(ctx, func(tx *domains.Tx) error {
		return tx.Place(ctx, domain, domains.Owner{Kind: OwnerKind, ID: siteID})
	})
}
