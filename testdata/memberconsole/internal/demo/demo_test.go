package demo_test

import (
	"context"
	"testing"

	"example.test/memberconsole/internal/demo"
	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/testdb"
)

func TestSeed(t *testing.T) {
	db := testdb.New(t)
	if _, err := demo.Seed(context.Background(), db.DB, entitlements.New(db.DB, testdb.Log)); err != nil {
		t.Fatal(err)
	}
	got := testdb.One[string](t, db, `SELECT string_agg(amount::text, ' ' ORDER BY amount) FROM core.entitlements`)
	if want := "1 5"; got != want {
		t.Errorf("sites of the two pools: %s, want %s", got, want)
	}
}
