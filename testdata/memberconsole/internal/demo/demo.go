// Package demo fills an empty console with something to look at.
package demo

import (
	"context"
	"database/sql"
	"fmt"

	"example.test/memberconsole/internal/core"
	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/usage"
)

// OrgType is the type of the organizations that Seed makes.
const OrgType = "cooperative"

// Seeded is what Seed made.
type Seeded struct {
	Ladder   string
	Set      string
	Free     string
	Plus     string
	Orgs     []string
	GrantIDs []string
}

// Seed makes a ladder of two products and a few organizations on it. The
// tiers are added before anybody can be on them, so outside the rendezvous.
func Seed(ctx context.Context, db *sql.DB, ent *entitlements.Service) (Seeded, error) {
	var out Seeded
	if err := catalog(ctx, core.New(db), &out); err != nil {
		return out, fmt.Errorf("seed: %w", err)
	}
	for i := range 2 {
		org, err := ent.ProvisionOrganization(ctx, fmt.Sprintf("Cooperative %d", i+1), OrgType, fmt.Sprintf("coop-%d", i+1))
		if err != nil {
			return out, fmt.Errorf("seed: %w", err)
		}
		out.Orgs = append(out.Orgs, org)
	}
	tx, err := entitlements.BeginMaterializing(ctx, db)
	if err != nil {
		return out, fmt.Errorf("seed: %w", err)
	}
	defer tx.Rollback()
	pool, err := tx.Queries().GetDefaultPool(ctx, out.Orgs[0])
	if err != nil {
		return out, fmt.Errorf("seed: %w", err)
	}
	id, err := ent.ConferGrantTx(ctx, tx, entitlements.Grant{OrgID: out.Orgs[0], PoolID: pool, Product: out.Plus, Reason: "demo"})
	if err != nil {
		return out, fmt.Errorf("seed: %w", err)
	}
	out.GrantIDs = append(out.GrantIDs, id)
	return out, tx.Commit()
}

func catalog(ctx context.Context, q *core.Queries, out *Seeded) error {
	if err := q.InsertResourceKey(ctx, usage.SiteSlots); err != nil {
		return fmt.Errorf("resource key: %w", err)
	}
	var err error
	if out.Ladder, err = q.InsertLadder(ctx, "membership"); err != nil {
		return fmt.Errorf("ladder: %w", err)
	}
	for i, p := range []struct {
		name string
		id   *string
		site int64
	}{{"Free", &out.Free, 1}, {"Plus", &out.Plus, 5}} {
		if *p.id, err = q.InsertProduct(ctx, p.name); err != nil {
			return fmt.Errorf("product %s: %w", p.name, err)
		}
		if out.Set, err = q.InsertEntitlementSet(ctx, p.name); err != nil {
			return fmt.Errorf("set %s: %w", p.name, err)
		}
		if err := q.InsertSetRule(ctx, core.InsertSetRuleParams{SetID: out.Set, ResourceKey: usage.SiteSlots, Amount: p.site}); err != nil {
			return fmt.Errorf("rule of %s: %w", p.name, err)
		}
		if err := q.AttachSet(ctx, core.AttachSetParams{ProductID: *p.id, SetID: out.Set}); err != nil {
			return fmt.Errorf("attach %s: %w", p.name, err)
		}
		if _, err := q.InsertTier(ctx, core.InsertTierParams{LadderID: out.Ladder, ProductID: *p.id, Rank: int32(i)}); err != nil {
			return fmt.Errorf("tier of %s: %w", p.name, err)
		}
	}
	return q.InsertOrgType(ctx, core.InsertOrgTypeParams{
		OrgType:          OrgType,
		DefaultProductID: sql.NullString{String: out.Free, Valid: true},
	})
}
