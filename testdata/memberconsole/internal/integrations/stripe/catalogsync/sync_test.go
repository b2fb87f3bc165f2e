package catalogsync_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.test/memberconsole/internal/integrations/stripe/catalogsync"
	"example.test/memberconsole/internal/testdb"
)

func TestSyncQueuesAProductOnce(t *testing.T) {
	db := testdb.New(t)
	cat := testdb.NewCatalog(t, db)
	s := catalogsync.New(db.DB, testdb.Log)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /products/{product}/sync", s.SyncProductToStripe)
	for range 2 {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/products/"+cat.Plus+"/sync", strings.NewReader(`{"prices": [500, 900]}`)))
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
	if n := testdb.One[int](t, db, `SELECT count(*) FROM stripe.outbox WHERE product_id = $1`, cat.Plus); n != 2 {
		t.Errorf("%d entries in the outbox, want one for each price", n)
	}
	if open := db.Stats().InUse; open != 0 {
		t.Errorf("%d connections in use after the answers, want none", open)
	}
}

func TestSyncWithNothingToWriteHoldsItsTransaction(t *testing.T) {
	db := testdb.New(t)
	cat := testdb.NewCatalog(t, db)
	s := catalogsync.New(db.DB, testdb.Log)
	res, err := s.Sync(context.Background(), cat.Plus, []int64{500})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	res, err = s.Sync(context.Background(), cat.Plus, []int64{500})
	if err != nil {
		t.Fatal(err)
	}
	free := func() bool {
		return testdb.One[bool](t, db, `SELECT pg_try_advisory_xact_lock(hashtext($1)::bigint)`, cat.Plus)
	}
	if free() {
		t.Error("the product is free before the result is closed")
	}
	res.Close()
	if !free() {
		t.Error("the product is not free after the result was closed")
	}
}
