package entitlements_test

import (
	"testing"

	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/testdb"
)

func TestRuleChangeSettlesAtOnce(t *testing.T) {
	f := setUp(t)
	second := testdb.NewOrg(t, f.db, "second")
	res, err := f.ent.RuleChangeBatchCommit(ctx, entitlements.RuleBatch{
		SetID:  f.cat.FreeSet,
		Deltas: []entitlements.RuleDelta{{ResourceKey: "storage.gb", Amount: 2}, {ResourceKey: "fedwiki.sites", Amount: 4}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Pools != 2 || res.Deferred {
		t.Errorf("result %+v, want two pools at once", res)
	}
	f.wantSites(t, f.org, 4)
	f.wantSites(t, second, 4)
	if n := testdb.One[int](t, f.db, `SELECT count(*) FROM core.entitlement_set_change_obligations WHERE settled_at IS NULL`); n != 0 {
		t.Errorf("%d obligations left, want none", n)
	}
	first := testdb.One[string](t, f.db, `SELECT resource_key FROM core.entitlement_set_changes ORDER BY seq LIMIT 1`)
	if first != "fedwiki.sites" {
		t.Errorf("first change is of %s, want the smallest key", first)
	}
}

func TestRuleChangeAboveTheCapIsDrained(t *testing.T) {
	f := setUp(t)
	second := testdb.NewOrg(t, f.db, "second")
	res, err := f.ent.WithSyncCap(1).RuleChangeBatchCommit(ctx, entitlements.RuleBatch{
		SetID:  f.cat.FreeSet,
		Deltas: []entitlements.RuleDelta{{ResourceKey: "fedwiki.sites", Amount: 4}},
	})
	if err != nil || !res.Deferred {
		t.Fatalf("result %+v, %v, want a deferred batch", res, err)
	}
	f.wantSites(t, f.org, 4)
	f.wantSites(t, second, 4)
}

func TestDrainNotesAPoolThatFails(t *testing.T) {
	f := setUp(t)
	testdb.Run(t, f.db, `ALTER TABLE core.entitlements ADD CONSTRAINT sane CHECK (amount < 1000)`)
	res, err := f.ent.WithSyncCap(0).RuleChangeBatchCommit(ctx, entitlements.RuleBatch{
		SetID:  f.cat.FreeSet,
		Deltas: []entitlements.RuleDelta{{ResourceKey: "fedwiki.sites", Amount: 4000}},
	})
	if err == nil {
		t.Fatal("drain of an impossible amount succeeded")
	}
	f.wantSites(t, f.org, 1)
	attempts := testdb.One[int](t, f.db, `SELECT attempts FROM core.entitlement_set_change_obligations WHERE settled_at IS NULL AND last_error <> ''`)
	if attempts != 1 {
		t.Errorf("%d attempts noted, want 1", attempts)
	}
	testdb.Run(t, f.db, `ALTER TABLE core.entitlements DROP CONSTRAINT sane`)
	if err := f.ent.DrainChange(ctx, res.BatchID); err != nil {
		t.Fatal(err)
	}
	f.wantSites(t, f.org, 4000)
}
