package entitlements_test

import (
	"errors"
	"testing"

	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/testdb"
)

func TestAddTierAlignsItsProvisions(t *testing.T) {
	f := setUp(t)
	second := testdb.NewOrg(t, f.db, "second")
	testdb.Grant(t, f.db, f.org, f.cat.Addon)
	testdb.Grant(t, f.db, second, f.cat.Addon)
	ladder := testdb.One[string](t, f.db, `INSERT INTO core.ladders (name) VALUES ('extras') RETURNING ladder_id`)
	if _, err := f.ent.AddTier(ctx, entitlements.Tier{LadderID: ladder, Product: f.cat.Addon}); err != nil {
		t.Fatal(err)
	}
	if n := testdb.One[int](t, f.db, `SELECT count(*) FROM core.provisions WHERE ladder_id = $1 AND rank = 0`, ladder); n != 2 {
		t.Errorf("%d provisions on the new tier, want 2", n)
	}
}

func TestRemoveTier(t *testing.T) {
	for _, c := range []struct {
		name string
		how  entitlements.Disposition
		want int64
	}{
		{"end", entitlements.EndHolders, 0},
		{"migrate", entitlements.MigrateHolders, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := setUp(t)
			second := testdb.NewOrg(t, f.db, "second")
			testdb.Run(t, f.db, `UPDATE core.provisions SET status = 'ended'`)
			testdb.Grant(t, f.db, f.org, f.cat.Plus)
			testdb.Grant(t, f.db, second, f.cat.Plus)
			if err := f.ent.RemoveTier(ctx, f.cat.PlusTier, c.how); err != nil {
				t.Fatal(err)
			}
			f.wantSites(t, f.org, c.want)
			f.wantSites(t, second, c.want)
			if rank := testdb.One[int](t, f.db, `SELECT rank FROM core.tiers WHERE tier_id = $1`, f.cat.ProTier); rank != 1 {
				t.Errorf("rank of the tier above: %d, want 1", rank)
			}
		})
	}
}

func TestDeleteTier(t *testing.T) {
	f := setUp(t)
	if err := f.ent.DeleteTier(ctx, f.cat.FreeTier); !errors.Is(err, entitlements.ErrTierHeld) {
		t.Errorf("delete of a held tier: %v, want %v", err, entitlements.ErrTierHeld)
	}
	if err := f.ent.DeleteTier(ctx, f.cat.PlusTier); err != nil {
		t.Fatal(err)
	}
	if rank := testdb.One[int](t, f.db, `SELECT rank FROM core.tiers WHERE tier_id = $1`, f.cat.ProTier); rank != 1 {
		t.Errorf("rank of the tier above: %d, want 1", rank)
	}
}

func TestChangeOrgTypeDefault(t *testing.T) {
	for _, c := range []struct {
		name     string
		bucket   entitlements.Bucket
		floor    bool
		want     int64
		products int
	}{
		{"fill what is vacant", entitlements.FillVacant, false, 3, 1},
		{"leave what is held", entitlements.FillVacant, true, 1, 1},
		{"grandfather", entitlements.Grandfather, true, 1, 1},
		{"migrate", entitlements.Migrate, true, 3, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := setUp(t)
			if !c.floor {
				testdb.Run(t, f.db, `UPDATE core.provisions SET status = 'ended'`)
			}
			if err := f.ent.ChangeOrgTypeDefault(ctx, "member", f.cat.Plus, c.bucket); err != nil {
				t.Fatal(err)
			}
			f.wantSites(t, f.org, c.want)
			if n := testdb.One[int](t, f.db, `SELECT count(DISTINCT product_id) FROM core.provisions WHERE status = 'live'`); n != c.products {
				t.Errorf("%d live products, want %d", n, c.products)
			}
		})
	}
}

func TestReorderTiers(t *testing.T) {
	f := setUp(t)
	testdb.Run(t, f.db, `UPDATE core.provisions SET status = 'ended'`)
	order := []string{f.cat.PlusTier, f.cat.FreeTier, f.cat.ProTier}
	if err := f.ent.ReorderTiers(ctx, f.cat.Ladder, order); err != nil {
		t.Fatal(err)
	}
	if got := testdb.One[string](t, f.db, `SELECT default_product_id FROM core.org_types`); got != f.cat.Plus {
		t.Errorf("default is %s, want the new lowest tier", got)
	}
	f.wantSites(t, f.org, 3)
	if err := f.ent.ReorderTiers(ctx, f.cat.Ladder, order[:2]); !errors.Is(err, entitlements.ErrUnknownTiers) {
		t.Errorf("short order: %v, want %v", err, entitlements.ErrUnknownTiers)
	}
}
