package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/ids"
	"example.test/memberconsole/internal/integrations/fedwiki/web"
	"example.test/memberconsole/internal/testdb"
)

// starter notes what it starts, unless it is broken.
type starter struct {
	started []string
	broken  error
}

func (s *starter) Start(_ context.Context, id string) error {
	if s.broken == nil {
		s.started = append(s.started, id)
	}
	return s.broken
}

type fixture struct {
	db    *testdb.DB
	org   testdb.Org
	start *starter
	mux   *http.ServeMux
}

func setUp(t *testing.T) fixture {
	t.Helper()
	db := testdb.New(t)
	testdb.NewCatalog(t, db)
	f := fixture{db: db, org: testdb.NewOrg(t, db, "first"), start: &starter{}, mux: http.NewServeMux()}
	web.New(db.DB, domains.NewRegistry(db.DB), f.start, time.Hour, testdb.Log).Routes(f.mux)
	return f
}

func (f fixture) call(t *testing.T, method, path, body string, want int) {
	t.Helper()
	w := httptest.NewRecorder()
	f.mux.ServeHTTP(w, httptest.NewRequest(method, "/workspaces/"+f.org.Workspace+"/sites"+path, strings.NewReader(body)))
	if w.Code != want {
		t.Fatalf("%s %s: status %d, want %d: %s", method, path, w.Code, want, w.Body)
	}
}

func (f fixture) requests(t *testing.T) string {
	t.Helper()
	return testdb.One[string](t, f.db, `SELECT coalesce(string_agg(operation || ':' || content, ' ' ORDER BY operation, content), '') FROM integration.lifecycle_requests`)
}

func TestCreateAndReleaseSite(t *testing.T) {
	f := setUp(t)
	body := fmt.Sprintf(`{"person": %q, "domain": "a.test"}`, ids.New())
	f.call(t, "POST", "", body, http.StatusAccepted)
	if got := f.requests(t); got != "create:a.test" || len(f.start.started) != 1 {
		t.Errorf("requests %s, started %v", got, f.start.started)
	}
	site := testdb.One[string](t, f.db, `SELECT owner_id FROM domains.names WHERE name = 'a.test'`)
	f.call(t, "DELETE", "/"+site, "", http.StatusAccepted)
	if n := testdb.One[int](t, f.db, `SELECT count(*) FROM domains.names`); n != 0 {
		t.Errorf("%d names left, want none", n)
	}
	f.call(t, "DELETE", "/"+site, "", http.StatusNotFound)
}

func TestRequestThatDoesNotStartIsTakenBack(t *testing.T) {
	f := setUp(t)
	f.start.broken = errors.New("no worker")
	f.call(t, "POST", "", fmt.Sprintf(`{"person": %q, "domain": "a.test"}`, ids.New()), http.StatusBadGateway)
	if got := f.requests(t); got != "" {
		t.Errorf("requests %s, want none", got)
	}
}

func TestStatusChange(t *testing.T) {
	f := setUp(t)
	site := testdb.Site(t, f.db, f.org, "a.test", "parked")
	person := ids.New()
	body := func(status string) string { return fmt.Sprintf(`{"person": %q, "status": %q}`, person, status) }
	f.call(t, "POST", "/"+site+"/status", body("active"), http.StatusAccepted)
	f.call(t, "POST", "/"+site+"/status", body("active"), http.StatusConflict)
	f.call(t, "POST", "/"+site+"/status", body("parked"), http.StatusAccepted)
	if got, want := f.requests(t), "status:active status:parked"; got != want {
		t.Errorf("requests %s, want %s", got, want)
	}
}

func TestSwap(t *testing.T) {
	f := setUp(t)
	parked := testdb.Site(t, f.db, f.org, "a.test", "parked")
	testdb.Site(t, f.db, f.org, "b.test", "active")
	body := fmt.Sprintf(`{"person": %q}`, ids.New())
	f.call(t, "POST", "/"+parked+"/swap", body, http.StatusAccepted)
	if got, want := f.requests(t), "swap:active swap:parked"; got != want {
		t.Errorf("requests %s, want %s", got, want)
	}
	if n := testdb.One[int](t, f.db, `SELECT count(*) FROM fedwiki.swap_policies`); n != 1 {
		t.Errorf("%d swap policies, want 1", n)
	}
	f.call(t, "POST", "/"+ids.New()+"/swap", body, http.StatusNotFound)
}
