package fedwiki_test

import (
	"context"
	"testing"

	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/ids"
	"example.test/memberconsole/internal/integrations/fedwiki"
	"example.test/memberconsole/internal/testdb"
)

func TestReconcileDomains(t *testing.T) {
	db := testdb.New(t)
	testdb.NewCatalog(t, db)
	org := testdb.NewOrg(t, db, "first")
	testdb.Site(t, db, org, "kept.test", "active")
	testdb.Site(t, db, org, "adopted.test", "active")
	for _, name := range []string{"kept.test", "orphan.test"} {
		testdb.Run(t, db, `INSERT INTO domains.names (name, owner_kind, owner_id, state) VALUES ($1, 'fedwiki', $2, 'placed')`, name, ids.New())
	}
	if err := fedwiki.ReconcileDomains(context.Background(), db.DB, domains.NewRegistry(db.DB)); err != nil {
		t.Fatal(err)
	}
	got := testdb.One[string](t, db, `SELECT string_agg(name, ' ' ORDER BY name) FROM domains.names`)
	if want := "adopted.test kept.test"; got != want {
		t.Errorf("names %s, want %s", got, want)
	}
}
