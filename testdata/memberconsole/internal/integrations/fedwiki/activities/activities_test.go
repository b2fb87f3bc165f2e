package activities_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/ids"
	"example.test/memberconsole/internal/integration"
	"example.test/memberconsole/internal/integrations/fedwiki/activities"
	"example.test/memberconsole/internal/testdb"
)

var ctx = context.Background()

// farm notes what it is told, unless it is broken.
type farm struct {
	told   []string
	broken error
}

func (f *farm) SetStatus(_ context.Context, domain, status string) error {
	f.told = append(f.told, domain+"="+status)
	return f.broken
}

type fixture struct {
	db   *testdb.DB
	cat  testdb.Catalog
	org  testdb.Org
	farm *farm
	acts *activities.Activities
}

func setUp(t *testing.T) fixture {
	t.Helper()
	db := testdb.New(t)
	f := fixture{db: db, cat: testdb.NewCatalog(t, db), farm: &farm{}}
	f.org = testdb.NewOrg(t, db, "first")
	f.acts = activities.New(db.DB, f.farm)
	return f
}

// request records a request on a site and returns the outcome that awaits it.
func (f fixture) request(t *testing.T, site, content string) activities.Outcome {
	t.Helper()
	a, err := integration.RecordLifecycleRequest(ctx, f.db.Plain, integration.Spec{
		InstanceID: site, Operation: "status", Content: content, PersonID: ids.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return activities.Outcome{RequestID: a.RequestID, InstanceID: site, Status: "done"}
}

func (f fixture) want(t *testing.T, used int64, sites string) {
	t.Helper()
	if got := testdb.Used(t, f.db, f.org.Pool); got != used {
		t.Errorf("slots used: %d, want %d", got, used)
	}
	got := testdb.One[string](t, f.db, `SELECT string_agg(domain || '=' || status, ' ' ORDER BY domain) FROM fedwiki.sites`)
	if got != sites {
		t.Errorf("sites %s, want %s", got, sites)
	}
}

func TestRecordSiteStatus(t *testing.T) {
	f := setUp(t)
	site := testdb.Site(t, f.db, f.org, "a.test", "active")
	testdb.SetUsed(t, f.db, f.org.Pool, 1)
	in := activities.SiteStatus{Outcome: f.request(t, site, "parked"), Workspace: f.org.Workspace, Domain: "a.test", Status: "parked"}
	if err := f.acts.RecordSiteStatusActivity(ctx, in); err != nil {
		t.Fatal(err)
	}
	f.want(t, 0, "a.test=parked")
	if err := f.acts.RecordSiteStatusActivity(ctx, in); !errors.Is(err, activities.ErrNotAccepted) {
		t.Errorf("second outcome: %v, want %v", err, activities.ErrNotAccepted)
	}
}

func TestRecordSwap(t *testing.T) {
	for _, c := range []struct {
		name, activated, parked string
		before, after           int64
	}{
		{"one for one", "parked", "active", 1, 1},
		{"both active", "active", "active", 2, 1},
		{"both parked", "parked", "parked", 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := setUp(t)
			a := testdb.Site(t, f.db, f.org, "a.test", c.activated)
			b := testdb.Site(t, f.db, f.org, "b.test", c.parked)
			testdb.SetUsed(t, f.db, f.org.Pool, c.before)
			err := f.acts.RecordSwapActivity(ctx, activities.Swap{
				Activated: f.request(t, a, "active"), Parked: f.request(t, b, "parked"),
				Workspace: f.org.Workspace, ActivatedDomain: "a.test", ParkedDomain: "b.test",
			})
			if err != nil {
				t.Fatal(err)
			}
			f.want(t, c.after, "a.test=active b.test=parked")
		})
	}
}

func TestRecordSiteDeleted(t *testing.T) {
	f := setUp(t)
	site := testdb.Site(t, f.db, f.org, "a.test", "active")
	testdb.SetUsed(t, f.db, f.org.Pool, 1)
	for range 2 {
		err := f.acts.RecordSiteDeletedActivity(ctx, activities.SiteDeleted{
			Outcome: f.request(t, site, "deleted"), Workspace: f.org.Workspace, Domain: "a.test",
		})
		if err != nil {
			t.Fatal(err)
		}
		f.want(t, 0, "a.test=deleted")
	}
}

func TestSweepDowngrade(t *testing.T) {
	f := setUp(t)
	for _, domain := range []string{"a.test", "b.test", "c.test"} {
		site := testdb.Site(t, f.db, f.org, domain, "active")
		testdb.Run(t, f.db, `UPDATE fedwiki.sites SET rotated_at = now() - (ascii(domain) || ' days')::interval WHERE site_id = $1`, site)
	}
	testdb.SetUsed(t, f.db, f.org.Pool, 3)
	n, err := f.acts.SweepDowngradeActivity(ctx, f.org.Workspace)
	if err != nil || n != 2 {
		t.Fatalf("parked %d, %v, want 2", n, err)
	}
	f.want(t, 1, "a.test=active b.test=parked c.test=parked")
	if got, want := strings.Join(f.farm.told, " "), "c.test=parked b.test=parked"; got != want {
		t.Errorf("farm was told %s, want %s", got, want)
	}
}

func TestReactivate(t *testing.T) {
	f := setUp(t)
	testdb.Site(t, f.db, f.org, "a.test", "parked")
	f.farm.broken = errors.New("farm is down")
	if _, err := f.acts.ReactivateActivity(ctx, f.org.Workspace, "a.test"); err == nil {
		t.Error("a site came back on a broken farm")
	}
	f.want(t, 0, "a.test=parked")
	f.farm.broken = nil
	back, err := f.acts.ReactivateActivity(ctx, f.org.Workspace, "a.test")
	if err != nil || !back {
		t.Fatalf("back %v, %v", back, err)
	}
	f.want(t, 1, "a.test=active")
	if back, err := f.acts.ReactivateActivity(ctx, f.org.Workspace, "a.test"); back || err != nil {
		t.Errorf("without a slot: back %v, %v, want neither", back, err)
	}
}

func TestRunnerCarriesARequestOut(t *testing.T) {
	f := setUp(t)
	site := testdb.Site(t, f.db, f.org, "a.test", "parked")
	registry := domains.NewRegistry(f.db.DB)
	testdb.Run(t, f.db, `INSERT INTO domains.names (name, owner_kind, owner_id, state) VALUES ('a.test', 'fedwiki', $1, 'reserved')`, site)
	runner := activities.NewRunner(f.acts, registry)
	if err := runner.Start(ctx, f.request(t, site, "active").RequestID); err != nil {
		t.Fatal(err)
	}
	f.want(t, 1, "a.test=active")
	if got := testdb.One[string](t, f.db, `SELECT state FROM domains.names`); got != "placed" {
		t.Errorf("name is %s, want placed", got)
	}
	f.farm.broken = errors.New("farm is down")
	failed := f.request(t, site, "parked")
	if err := runner.Start(ctx, failed.RequestID); err != nil {
		t.Fatal(err)
	}
	f.want(t, 1, "a.test=active")
	if got := testdb.One[string](t, f.db, `SELECT status FROM integration.lifecycle_requests WHERE request_id = $1`, failed.RequestID); got != "failed" {
		t.Errorf("request is %s, want failed", got)
	}
}

func TestFarmCallsBack(t *testing.T) {
	f := setUp(t)
	testdb.Site(t, f.db, f.org, "a.test", "parked")
	mux := http.NewServeMux()
	f.acts.Routes(mux)
	form := url.Values{"workspace": {f.org.Workspace}, "domain": {"a.test"}}
	for _, want := range []int{http.StatusNoContent, http.StatusConflict} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("POST", "/farm/reactivations?"+form.Encode(), nil))
		if w.Code != want {
			t.Errorf("reactivation: status %d, want %d", w.Code, want)
		}
	}
	f.want(t, 1, "a.test=active")
}
