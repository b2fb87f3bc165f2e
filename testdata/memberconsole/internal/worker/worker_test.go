package worker_test

import (
	"context"
	"testing"

	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/integrations/fedwiki/activities"
	"example.test/memberconsole/internal/integrations/stripe/stripetest"
	"example.test/memberconsole/internal/integrations/stripe/workflows"
	"example.test/memberconsole/internal/testdb"
	"example.test/memberconsole/internal/worker"
	"example.test/memberconsole/internal/workflows/desiredstate"
)

type farm struct{}

func (farm) SetStatus(context.Context, string, string) error { return nil }

func TestPollers(t *testing.T) {
	ctx := context.Background()
	db := testdb.New(t)
	cat := testdb.NewCatalog(t, db)
	org := testdb.NewOrg(t, db, "first")
	ent := entitlements.New(db.DB, testdb.Log)
	w := worker.New(db.DB, ent, desiredstate.New(db.DB, nil), workflows.NewInvoices(db.DB, stripetest.New()), activities.New(db.DB, farm{}), testdb.Log)

	plus := testdb.Grant(t, db, org, cat.Plus)
	testdb.Run(t, db, `UPDATE core.grants SET ends_at = now() - interval '1 hour' WHERE grant_id = $1`, plus)
	if err := w.ExpireDueGrants(ctx); err != nil {
		t.Fatal(err)
	}
	if got := testdb.Amount(t, db, org.Pool, "fedwiki.sites"); got != 1 {
		t.Errorf("sites after the expiry: %d, want 1", got)
	}

	change := testdb.One[string](t, db, `INSERT INTO core.entitlement_set_changes (batch_id, set_id, resource_key, new_amount) VALUES (gen_random_uuid(), $1, 'fedwiki.sites', 6) RETURNING change_id`, cat.FreeSet)
	testdb.Run(t, db, `INSERT INTO core.entitlement_set_change_obligations (change_id, pool_id) VALUES ($1, $2)`, change, org.Pool)
	testdb.Run(t, db, `UPDATE core.entitlement_set_rules SET amount = 6 WHERE set_id = $1 AND resource_key = 'fedwiki.sites'`, cat.FreeSet)
	if err := w.DrainOwedChanges(ctx); err != nil {
		t.Fatal(err)
	}
	if got := testdb.Amount(t, db, org.Pool, "fedwiki.sites"); got != 6 {
		t.Errorf("sites after the drain: %d, want 6", got)
	}
	if err := w.RelayDesiredState(ctx); err != nil {
		t.Fatal(err)
	}
	if n := testdb.One[int](t, db, `SELECT count(*) FROM core.desired_state_outbox WHERE done_at IS NULL`); n != 0 {
		t.Errorf("%d notices left, want none", n)
	}

	testdb.Run(t, db, `UPDATE core.entitlements SET amount = 0`)
	testdb.Site(t, db, org, "a.test", "active")
	testdb.SetUsed(t, db, org.Pool, 1)
	if err := w.SweepDowngrades(ctx); err != nil {
		t.Fatal(err)
	}
	if got := testdb.Used(t, db, org.Pool); got != 0 {
		t.Errorf("slots after the sweep: %d, want 0", got)
	}
}
