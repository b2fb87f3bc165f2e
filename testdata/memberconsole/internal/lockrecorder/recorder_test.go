package lockrecorder_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"example.test/memberconsole/internal/core"
	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/lockrecorder"
	"example.test/memberconsole/internal/testdb"
)

func TestRecorderSeesEachFamily(t *testing.T) {
	db := testdb.New(t)
	testdb.NewCatalog(t, db)
	org := testdb.NewOrg(t, db, "org")
	var got []lockrecorder.Record
	db.Recorder.Keep(func(r lockrecorder.Record) { got = append(got, r) })

	ctx := context.Background()
	tx, err := entitlements.BeginMaterializing(ctx, db.DB)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for range 2 {
		if err := entitlements.LockPools(ctx, tx.Queries(), org.Pool); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 {
		t.Fatalf("%d records, want 4: SET, rendezvous and two locks", len(got))
	}
	key := testdb.One[string](t, db, `SELECT hashtextextended('entitlement_materialization', 0)::text`)
	want := []lockrecorder.Lock{{Family: "advisory", Space: "bigint", Key: key, Mode: "shared"}}
	if !slices.Equal(got[1].Locks, want) {
		t.Errorf("rendezvous: %v, want %v", got[1].Locks, want)
	}
	families := []string{}
	for _, l := range got[2].Locks {
		families = append(families, l.Family+" "+l.Relation+" "+l.Mode)
	}
	if want := []string{"row core.resource_pools FOR UPDATE", "table core.resource_pools ROW SHARE"}; !slices.Equal(families, want) {
		t.Errorf("pool lock: %v, want %v", families, want)
	}
	if len(got[3].Locks) != 0 {
		t.Errorf("second pool lock took %v, want nothing new", got[3].Locks)
	}
	stack := []string{
		"example.test/memberconsole/internal/core.(*Queries).LockResourcePool",
		"example.test/memberconsole/internal/entitlements.LockPools",
	}
	if !slices.Equal(got[2].Stack, stack) || got[2].File != "internal/core/pools.sql.go" || got[2].Line == 0 {
		t.Errorf("place: %s:%d %v, want pools.sql.go and %v", got[2].File, got[2].Line, got[2].Stack, stack)
	}
	if got[1].Tx == 0 || got[1].Tx != got[3].Tx {
		t.Errorf("transactions %d and %d, want one", got[1].Tx, got[3].Tx)
	}
}

func TestRecorderTellsRowModesApart(t *testing.T) {
	db := testdb.New(t)
	testdb.NewCatalog(t, db)
	org := testdb.NewOrg(t, db, "org")
	var modes []string
	db.Recorder.Keep(func(r lockrecorder.Record) {
		for _, l := range r.Locks {
			if l.Family == "row" && l.Relation == "core.resource_pools" {
				modes = append(modes, l.Mode)
			}
		}
	})
	for _, statement := range []string{
		`SELECT 1 FROM core.resource_pools WHERE pool_id = $1 FOR KEY SHARE`,
		`SELECT 1 FROM core.resource_pools WHERE pool_id = $1 FOR SHARE`,
		`SELECT 1 FROM core.resource_pools WHERE pool_id = $1 FOR NO KEY UPDATE`,
		`UPDATE core.resource_pools SET created_at = now() WHERE pool_id = $1`,
		`SELECT 1 FROM core.resource_pools WHERE pool_id = $1 FOR UPDATE`,
	} {
		inTx(t, db.DB, func(tx *sql.Tx) {
			if _, err := tx.Exec(statement, org.Pool); err != nil {
				t.Fatal(err)
			}
		})
	}
	want := "FOR KEY SHARE, FOR SHARE, FOR NO KEY UPDATE, FOR NO KEY UPDATE, FOR UPDATE"
	if got := strings.Join(modes, ", "); got != want {
		t.Errorf("modes %s, want %s", got, want)
	}
}

func TestRecorderNotesAutocommit(t *testing.T) {
	db := testdb.New(t)
	var got []lockrecorder.Record
	db.Recorder.Keep(func(r lockrecorder.Record) { got = append(got, r) })
	if _, err := core.New(db.DB).ListConnections(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Tx != 0 || len(got[0].Locks) != 0 {
		t.Errorf("records %+v, want one outside any transaction with no lock left", got)
	}
	if _, err := db.DB.Exec(`SELECT pg_advisory_lock(7, -1)`); err != nil {
		t.Fatal(err)
	}
	want := []lockrecorder.Lock{{Family: "advisory", Space: "int4x2", Key: "7,-1", Mode: "exclusive"}}
	if last := got[len(got)-1]; !slices.Equal(last.Locks, want) {
		t.Errorf("session lock: %v, want %v", last.Locks, want)
	}
}

func inTx(t *testing.T, db *sql.DB, fn func(*sql.Tx)) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	fn(tx)
}
