package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.test/memberconsole/internal/api"
	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/fulfillment"
	"example.test/memberconsole/internal/ids"
	"example.test/memberconsole/internal/integrations/stripe"
	"example.test/memberconsole/internal/integrations/stripe/catalogsync"
	"example.test/memberconsole/internal/integrations/stripe/stripetest"
	"example.test/memberconsole/internal/integrations/stripe/workflows"
	"example.test/memberconsole/internal/testdb"
)

func TestOperatorRoutes(t *testing.T) {
	db := testdb.New(t)
	cat := testdb.NewCatalog(t, db)
	org := testdb.NewOrg(t, db, "first")
	client := stripetest.New()
	ent := entitlements.New(db.DB, testdb.Log)
	op := &api.Operator{
		DB:            db.DB,
		Entitlements:  ent,
		Subscriptions: fulfillment.New(db.DB, ent, client, testdb.Log),
		Invoices:      workflows.NewInvoices(db.DB, client),
		Catalog:       catalogsync.New(db.DB, testdb.Log),
		Log:           testdb.Log,
	}
	mux := http.NewServeMux()
	op.Routes(mux)
	client.Subscriptions["sub_1"] = stripe.Subscription{ID: "sub_1", OrgID: org.ID, Status: "active", Items: []stripe.Item{{Product: cat.Addon, Quantity: 1}}}
	client.Invoices["in_1"] = stripe.Invoice{ID: "in_1", Subscription: "sub_1", Status: "paid", TotalCents: 1}

	plus := testdb.Grant(t, db, org, cat.Plus)
	waiting := testdb.One[string](t, db, `INSERT INTO core.grants (org_id, product_id, reason, status) VALUES ($1, $2, 'later', 'waiting') RETURNING grant_id`, org.ID, cat.Pro)
	for _, c := range []struct {
		method, path, body string
		status             int
		sites              int64
	}{
		{"POST", "/operator/grants", fmt.Sprintf(`{"org": %q, "product": %q, "quantity": 2}`, org.ID, cat.Addon), 200, 7},
		{"POST", "/operator/grants/" + plus + "/manage", `{"until": "2031-01-01T00:00:00Z"}`, 204, 7},
		{"POST", "/operator/grants/" + waiting + "/extend-waiting", `{"until": "2031-01-01T00:00:00Z"}`, 204, 7},
		{"POST", "/operator/grants/" + plus + "/revoke", `{"reason": "over"}`, 204, 5},
		{"POST", "/operator/grants/" + ids.New() + "/revoke", `{}`, 404, 5},
		{"POST", "/operator/sets/" + cat.FreeSet + "/rules", `{"amounts": {"fedwiki.sites": 2, "storage.gb": 5}}`, 200, 6},
		{"DELETE", "/operator/tiers/" + cat.ProTier, ``, 204, 6},
		{"POST", "/operator/ladders/" + cat.Ladder + "/tiers", fmt.Sprintf(`{"product": %q, "rank": 2}`, cat.Pro), 200, 6},
		{"DELETE", "/operator/tiers/" + cat.FreeTier, ``, 409, 6},
		{"DELETE", "/operator/tiers/" + cat.PlusTier + "?holders=migrate", ``, 204, 6},
		{"PUT", "/operator/org-types/member/default", fmt.Sprintf(`{"product": %q, "bucket": "migrate"}`, cat.Pro), 204, 4},
		{"POST", "/operator/ladders/" + cat.Ladder + "/order", fmt.Sprintf(`{"tiers": [%q]}`, cat.FreeTier), 409, 4},
		{"POST", "/operator/products/" + cat.Plus + "/sync", `{"prices": [100]}`, 200, 4},
		{"POST", "/stripe/events", `{"type": "customer.subscription.created", "object": "sub_1"}`, 204, 6},
		{"POST", "/stripe/events", `{"type": "invoice.paid", "object": "in_1"}`, 204, 6},
		{"GET", "/checkout/return?subscription=sub_1", ``, 204, 6},
		{"POST", "/operator/grants", `{`, 400, 6},
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.status {
			t.Errorf("%s %s: status %d, want %d: %s", c.method, c.path, w.Code, c.status, w.Body)
		}
		if got := testdb.Amount(t, db, org.Pool, "fedwiki.sites"); got != c.sites {
			t.Errorf("%s %s: %d sites, want %d", c.method, c.path, got, c.sites)
		}
	}
}
