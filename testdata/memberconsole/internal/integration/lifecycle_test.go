package integration_test

import (
	"context"
	"errors"
	"testing"

	"example.test/memberconsole/internal/ids"
	"example.test/memberconsole/internal/integration"
	"example.test/memberconsole/internal/integration/lifecycledb"
	"example.test/memberconsole/internal/testdb"
)

var ctx = context.Background()

func TestRecordLifecycleRequest(t *testing.T) {
	db := testdb.New(t)
	spec := integration.Spec{InstanceID: ids.New(), Generation: 1, Operation: "status", Content: "active", PersonID: ids.New()}
	first, err := integration.RecordLifecycleRequest(ctx, db.DB, spec)
	if err != nil || !first.Created {
		t.Fatalf("first: %+v, %v", first, err)
	}
	repeat, err := integration.RecordLifecycleRequest(ctx, db.DB, spec)
	if err != nil || repeat.Created || repeat.RequestID != first.RequestID {
		t.Errorf("repeat: %+v, %v, want the request that stands", repeat, err)
	}
	other := spec
	other.Content = "parked"
	if _, err := integration.RecordLifecycleRequest(ctx, db.DB, other); !errors.Is(err, integration.ErrConflict) {
		t.Errorf("other content: %v, want %v", err, integration.ErrConflict)
	}
	other.Generation = 3
	if _, err := integration.RecordLifecycleRequest(ctx, db.DB, other); !errors.Is(err, integration.ErrCeiling) {
		t.Errorf("two generations ahead: %v, want %v", err, integration.ErrCeiling)
	}
	other.Generation = 0
	next, err := integration.RecordLifecycleRequest(ctx, db.DB, other)
	if err != nil || next.Generation != 2 {
		t.Errorf("next: %+v, %v, want generation 2", next, err)
	}
}

func TestRecordInTheCallersTransaction(t *testing.T) {
	db := testdb.New(t)
	spec := integration.Spec{InstanceID: ids.New(), Operation: "status", Content: "active", PersonID: ids.New()}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := integration.RecordLifecycleRequest(ctx, tx, spec); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if n := testdb.One[int](t, db, `SELECT count(*) FROM integration.lifecycle_requests`); n != 0 {
		t.Errorf("%d requests outlived the caller's rollback, want none", n)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := integration.RecordLifecycleRequest(ctx, conn, spec); err == nil {
		t.Error("a bare connection was taken for a transaction")
	}
}

func TestRecordFirstLifecycleRequest(t *testing.T) {
	db := testdb.New(t)
	spec := integration.Spec{InstanceID: ids.New(), Operation: "create", Content: "a.test", PersonID: ids.New()}
	first, err := integration.RecordFirstLifecycleRequest(ctx, db.DB, spec)
	if err != nil || !first.Created {
		t.Fatalf("first: %+v, %v", first, err)
	}
	repeat, err := integration.RecordFirstLifecycleRequest(ctx, db.DB, spec)
	if err != nil || repeat.RequestID != first.RequestID {
		t.Errorf("repeat: %+v, %v, want the request that stands", repeat, err)
	}
	spec.Generation = 2
	if _, err := integration.RecordFirstLifecycleRequest(ctx, db.DB, spec); !errors.Is(err, integration.ErrConflict) {
		t.Errorf("later generation: %v, want %v", err, integration.ErrConflict)
	}
	if err := integration.DeleteUnstartedLifecycleRequest(ctx, db.DB, first.RequestID); err != nil {
		t.Fatal(err)
	}
	if _, err := lifecycledb.New(db.Plain).GetLifecycleRequest(ctx, first.RequestID); err == nil {
		t.Error("the request is still there after its deletion")
	}
}

func TestRegisterProviders(t *testing.T) {
	db := testdb.New(t)
	testdb.NewCatalog(t, db)
	testdb.NewOrg(t, db, "first")
	err := integration.RegisterProviders(ctx, db.DB, map[string]string{"storage.gb": "disks", "fedwiki.sites": "fedwiki", "unknown": "x"})
	if err != nil {
		t.Fatal(err)
	}
	got := testdb.One[string](t, db, `SELECT string_agg(resource_key || '=' || provider, ',' ORDER BY resource_key) FROM core.resource_keys`)
	if want := "fedwiki.sites=fedwiki,storage.gb=disks"; got != want {
		t.Errorf("providers %s, want %s", got, want)
	}
}
