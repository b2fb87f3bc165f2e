package testdb

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"example.test/memberconsole/internal/entitlements"
)

// Log is a logger that says nothing.
var Log = slog.New(slog.NewTextHandler(io.Discard, nil))

// Org is an organization of a fixture.
type Org struct {
	ID, Pool, Workspace string
}

// Catalog is a ladder of three products with a tier each, of which Free is the
// default of the type "member".
type Catalog struct {
	Ladder                      string
	Free, Plus, Pro             string
	FreeTier, PlusTier, ProTier string
	FreeSet, PlusSet, ProSet    string
	Addon, AddonSet             string
}

// NewCatalog makes the products. Free carries 1 site and 1 GB, Plus 3 and 10,
// Pro 9 and 100, and the add-on, which stands on no ladder, 2 sites.
func NewCatalog(t *testing.T, db *DB) Catalog {
	t.Helper()
	var c Catalog
	Run(t, db, `INSERT INTO core.resource_keys (resource_key) VALUES ('fedwiki.sites'), ('storage.gb')`)
	c.Ladder = One[string](t, db, `INSERT INTO core.ladders (name) VALUES ('plans') RETURNING ladder_id`)
	for i, p := range []struct {
		name               string
		id, set, tier      *string
		sites, storageInGB int
	}{
		{"Free", &c.Free, &c.FreeSet, &c.FreeTier, 1, 1},
		{"Plus", &c.Plus, &c.PlusSet, &c.PlusTier, 3, 10},
		{"Pro", &c.Pro, &c.ProSet, &c.ProTier, 9, 100},
		{"Addon", &c.Addon, &c.AddonSet, nil, 2, 0},
	} {
		*p.id = One[string](t, db, `INSERT INTO core.products (name) VALUES ($1) RETURNING product_id`, p.name)
		*p.set = One[string](t, db, `INSERT INTO core.entitlement_sets (name) VALUES ($1) RETURNING set_id`, p.name)
		Run(t, db, `INSERT INTO core.product_sets (product_id, set_id) VALUES ($1, $2)`, *p.id, *p.set)
		Run(t, db, `INSERT INTO core.entitlement_set_rules (set_id, resource_key, amount) VALUES ($1, 'fedwiki.sites', $2)`, *p.set, p.sites)
		if p.storageInGB > 0 {
			Run(t, db, `INSERT INTO core.entitlement_set_rules (set_id, resource_key, amount) VALUES ($1, 'storage.gb', $2)`, *p.set, p.storageInGB)
		}
		if p.tier != nil {
			*p.tier = One[string](t, db, `INSERT INTO core.tiers (ladder_id, product_id, rank) VALUES ($1, $2, $3) RETURNING tier_id`, c.Ladder, *p.id, i)
		}
	}
	Run(t, db, `INSERT INTO core.org_types (org_type, default_product_id) VALUES ('member', $1)`, c.Free)
	return c
}

// NewOrg provisions an organization of the type "member".
func NewOrg(t *testing.T, db *DB, name string) Org {
	t.Helper()
	id, err := entitlements.New(db.Plain, Log).ProvisionOrganization(context.Background(), name, "member", name)
	if err != nil {
		t.Fatalf("provision %s: %v", name, err)
	}
	o := Org{ID: id}
	o.Pool = One[string](t, db, `SELECT pool_id FROM core.resource_pools WHERE org_id = $1`, id)
	o.Workspace = One[string](t, db, `SELECT workspace_id FROM core.workspaces WHERE org_id = $1`, id)
	Run(t, db, `INSERT INTO core.numeric_entitlement_usage (pool_id, resource_key) VALUES ($1, 'fedwiki.sites')`, o.Pool)
	return o
}

// Grant confers a product on an organization.
func Grant(t *testing.T, db *DB, o Org, product string) string {
	t.Helper()
	g := entitlements.Grant{OrgID: o.ID, PoolID: o.Pool, Product: product, Reason: "fixture"}
	id, err := entitlements.New(db.Plain, Log).ConferGrant(context.Background(), g)
	if err != nil {
		t.Fatalf("grant: %v", err)
	}
	return id
}

// Amount reads what a pool may use of a resource key.
func Amount(t *testing.T, db *DB, pool, key string) int64 {
	t.Helper()
	return One[int64](t, db, `SELECT coalesce(sum(amount), 0)::bigint FROM core.entitlements WHERE pool_id = $1 AND resource_key = $2`, pool, key)
}

// Site inserts a site of an organization with the given status.
func Site(t *testing.T, db *DB, o Org, domain, status string) string {
	t.Helper()
	return One[string](t, db, `INSERT INTO fedwiki.sites (workspace_id, domain, status) VALUES ($1, $2, $3) RETURNING site_id`, o.Workspace, domain, status)
}

// Used reads the site counter of a pool.
func Used(t *testing.T, db *DB, pool string) int64 {
	t.Helper()
	return One[int64](t, db, `SELECT used FROM core.numeric_entitlement_usage WHERE pool_id = $1 AND resource_key = 'fedwiki.sites'`, pool)
}

// SetUsed sets the site counter of a pool.
func SetUsed(t *testing.T, db *DB, pool string, used int64) {
	t.Helper()
	Run(t, db, `UPDATE core.numeric_entitlement_usage SET used = $2 WHERE pool_id = $1`, pool, used)
}
