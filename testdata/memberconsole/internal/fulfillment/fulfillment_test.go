package fulfillment_test

import (
	"context"
	"testing"

	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/fulfillment"
	"example.test/memberconsole/internal/integrations/stripe"
	"example.test/memberconsole/internal/integrations/stripe/stripetest"
	"example.test/memberconsole/internal/testdb"
)

type fixture struct {
	db     *testdb.DB
	cat    testdb.Catalog
	org    testdb.Org
	stripe *stripetest.Client
	rec    *fulfillment.Reconciler
}

func setUp(t *testing.T) fixture {
	t.Helper()
	db := testdb.New(t)
	f := fixture{db: db, cat: testdb.NewCatalog(t, db), stripe: stripetest.New()}
	f.org = testdb.NewOrg(t, db, "first")
	f.rec = fulfillment.New(db.DB, entitlements.New(db.DB, testdb.Log), f.stripe, testdb.Log)
	return f
}

func (f fixture) reconcile(t *testing.T, sub stripe.Subscription, wantSites int64) {
	t.Helper()
	sub.ID, sub.OrgID = "sub_1", f.org.ID
	f.stripe.Subscriptions[sub.ID] = sub
	if err := f.rec.ReconcileSubscription(context.Background(), sub.ID); err != nil {
		t.Fatal(err)
	}
	if got := testdb.Amount(t, f.db, f.org.Pool, "fedwiki.sites"); got != wantSites {
		t.Errorf("%s: sites of the pool: %d, want %d", sub.Status, got, wantSites)
	}
}

func TestSubscriptionLivesAndEnds(t *testing.T) {
	f := setUp(t)
	plus := stripe.Item{Product: f.cat.Plus, Quantity: 1}
	f.reconcile(t, stripe.Subscription{Status: "active", Items: []stripe.Item{plus, {Product: f.cat.Addon, Quantity: 1}}}, 5)
	f.reconcile(t, stripe.Subscription{Status: "active", Items: []stripe.Item{plus, {Product: f.cat.Addon, Quantity: 3}}}, 9)
	f.reconcile(t, stripe.Subscription{Status: "active", Items: []stripe.Item{plus}}, 3)
	f.reconcile(t, stripe.Subscription{Status: "past_due", Items: []stripe.Item{plus}}, 0)
	f.reconcile(t, stripe.Subscription{Status: "active", Items: []stripe.Item{plus}}, 3)
	f.reconcile(t, stripe.Subscription{Status: "canceled"}, 1)
	f.reconcile(t, stripe.Subscription{Status: "canceled"}, 1)
}

func TestSpentScheduleIsReleased(t *testing.T) {
	f := setUp(t)
	sub := stripe.Subscription{
		Status: "active",
		Items:  []stripe.Item{{Product: f.cat.Pro, Quantity: 1}},
		Schedule: &stripe.Schedule{
			ID:      "sched_1",
			Changes: []stripe.ScheduledChange{{Kind: "downgrade", Product: f.cat.Plus}},
		},
	}
	f.reconcile(t, sub, 9)
	status := func() string {
		return testdb.One[string](t, f.db, `SELECT status FROM core.subscription_scheduled_changes`)
	}
	if len(f.stripe.Released) != 0 || status() != "scheduled" {
		t.Fatalf("released %v, change %s, want it to wait", f.stripe.Released, status())
	}
	sub.Schedule.Spent = true
	f.reconcile(t, sub, 9)
	if len(f.stripe.Released) != 1 || status() != "superseded" {
		t.Errorf("released %v, change %s, want it superseded", f.stripe.Released, status())
	}
	f.reconcile(t, sub, 9)
	if len(f.stripe.Released) != 2 {
		t.Errorf("released %v, want the schedule that holds nothing too", f.stripe.Released)
	}
}
