package usage_test

import (
	"context"
	"errors"
	"testing"

	"example.test/memberconsole/internal/testdb"
	"example.test/memberconsole/internal/usage"
)

func TestBoundWorkspaceRepairsTheCounter(t *testing.T) {
	db := testdb.New(t)
	testdb.NewCatalog(t, db)
	org := testdb.NewOrg(t, db, "first")
	testdb.Site(t, db, org, "a.wiki.test", "active")
	testdb.Site(t, db, org, "b.wiki.test", "active")
	testdb.Site(t, db, org, "c.wiki.test", "parked")
	for _, used := range []int64{0, 2, 7} {
		testdb.SetUsed(t, db, org.Pool, used)
		if err := usage.BoundAll(context.Background(), db.DB); err != nil {
			t.Fatal(err)
		}
		if got := testdb.Used(t, db, org.Pool); got != 2 {
			t.Errorf("counter at %d became %d, want 2", used, got)
		}
	}
}

func TestTakeStopsAtTheEntitlement(t *testing.T) {
	ctx := context.Background()
	db := testdb.New(t)
	testdb.NewCatalog(t, db)
	org := testdb.NewOrg(t, db, "first")
	if err := usage.Take(ctx, db.DB, org.Workspace); err != nil {
		t.Fatal(err)
	}
	if err := usage.Take(ctx, db.DB, org.Workspace); !errors.Is(err, usage.ErrExhausted) {
		t.Errorf("second slot of one: %v, want %v", err, usage.ErrExhausted)
	}
	for range 2 {
		if err := usage.Release(ctx, db.DB, org.Workspace); err != nil {
			t.Fatal(err)
		}
	}
	if got := testdb.Used(t, db, org.Pool); got != 0 {
		t.Errorf("counter %d, want 0", got)
	}
}
