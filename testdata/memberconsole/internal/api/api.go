// Package api is what operators and Stripe call.
package api

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/integrations/stripe/catalogsync"
)

// Reconciler reconciles a subscription.
type Reconciler interface {
	ReconcileSubscription(ctx context.Context, subscriptionID string) error
}

// InvoiceHandler takes the invoice of an event.
type InvoiceHandler interface {
	HandleInvoiceEvent(ctx context.Context, invoiceID string) error
}

// Operator answers the operators' requests and Stripe's events.
type Operator struct {
	DB            *sql.DB
	Entitlements  *entitlements.Service
	Subscriptions Reconciler
	Invoices      InvoiceHandler
	Catalog       *catalogsync.Syncer
	Log           *slog.Logger
}

// Routes adds the operator's routes to mux.
func (o *Operator) Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST /operator/grants", o.issueGrant)
	mux.HandleFunc("POST /operator/grants/{grant}/revoke", o.revokeGrant)
	mux.HandleFunc("POST /operator/grants/{grant}/manage", o.manageGrant)
	mux.HandleFunc("POST /operator/grants/{grant}/extend-waiting", o.extendWaitingGrant)
	mux.HandleFunc("POST /operator/sets/{set}/rules", o.changeRules)
	mux.HandleFunc("POST /operator/ladders/{ladder}/tiers", o.addTier)
	mux.HandleFunc("POST /operator/ladders/{ladder}/order", o.reorderTiers)
	mux.HandleFunc("DELETE /operator/tiers/{tier}", o.removeTier)
	mux.HandleFunc("PUT /operator/org-types/{type}/default", o.changeDefault)
	mux.HandleFunc("POST /operator/products/{product}/sync", o.Catalog.SyncProductToStripe)
	mux.HandleFunc("POST /stripe/events", o.stripeEvent)
	mux.HandleFunc("GET /checkout/return", o.checkoutReturn)
}

// inMaterializing runs a grant act in a transaction of its own.
func (o *Operator) inMaterializing(ctx context.Context, act func(tx *entitlements.Materializing) error) error {
	tx, err := entitlements.BeginMaterializing(ctx, o.DB)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := act(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (o *Operator) issueGrant(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Org      string    `json:"org"`
		Product  string    `json:"product"`
		Quantity int32     `json:"quantity"`
		Reason   string    `json:"reason"`
		EndsAt   time.Time `json:"ends_at"`
	}
	if !read(w, r, &body) {
		return
	}
	id, err := o.Entitlements.ConferGrant(r.Context(), entitlements.Grant{
		OrgID:    body.Org,
		Product:  body.Product,
		Quantity: body.Quantity,
		Reason:   body.Reason,
		EndsAt:   body.EndsAt,
	})
	o.answer(w, r, map[string]string{"grant": id}, err)
}

func (o *Operator) revokeGrant(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
	}
	if !read(w, r, &body) {
		return
	}
	err := o.inMaterializing(r.Context(), func(tx *entitlements.Materializing) error {
		return o.Entitlements.RevokeGrantTx(r.Context(), tx, r.PathValue("grant"), body.Reason)
	})
	o.answer(w, r, nil, err)
}

func (o *Operator) manageGrant(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Until time.Time `json:"until"`
	}
	if !read(w, r, &body) {
		return
	}
	err := o.inMaterializing(r.Context(), func(tx *entitlements.Materializing) error {
		return o.Entitlements.ManageGrantTx(r.Context(), tx, r.PathValue("grant"), body.Until)
	})
	o.answer(w, r, nil, err)
}

func (o *Operator) extendWaitingGrant(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Until time.Time `json:"until"`
	}
	if !read(w, r, &body) {
		return
	}
	tx, err := entitlements.BeginMaterializing(r.Context(), o.DB)
	if err != nil {
		o.answer(w, r, nil, err)
		return
	}
	defer tx.Rollback()
	err = o.Entitlements.ExtendWaitingGrantTx(r.Context(), tx, r.PathValue("grant"), body.Until)
	if err == nil {
		err = tx.Commit()
	}
	o.answer(w, r, nil, err)
}

func (o *Operator) changeRules(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Amounts map[string]int64 `json:"amounts"`
	}
	if !read(w, r, &body) {
		return
	}
	batch := entitlements.RuleBatch{SetID: r.PathValue("set")}
	for key, amount := range body.Amounts {
		batch.Deltas = append(batch.Deltas, entitlements.RuleDelta{ResourceKey: key, Amount: amount})
	}
	res, err := o.Entitlements.RuleChangeBatchCommit(r.Context(), batch)
	o.answer(w, r, res, err)
}

func (o *Operator) addTier(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Product string `json:"product"`
		Rank    int32  `json:"rank"`
	}
	if !read(w, r, &body) {
		return
	}
	id, err := o.Entitlements.AddTier(r.Context(), entitlements.Tier{
		LadderID: r.PathValue("ladder"),
		Product:  body.Product,
		Rank:     body.Rank,
	})
	o.answer(w, r, map[string]string{"tier": id}, err)
}

func (o *Operator) reorderTiers(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Tiers []string `json:"tiers"`
	}
	if !read(w, r, &body) {
		return
	}
	err := o.Entitlements.ReorderTiers(r.Context(), r.PathValue("ladder"), body.Tiers)
	o.answer(w, r, nil, err)
}

// removeTier deletes a tier; with ?holders=end or ?holders=migrate also one
// that somebody stands on.
func (o *Operator) removeTier(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.URL.Query().Get("holders") {
	case "end":
		err = o.Entitlements.RemoveTier(r.Context(), r.PathValue("tier"), entitlements.EndHolders)
	case "migrate":
		err = o.Entitlements.RemoveTier(r.Context(), r.PathValue("tier"), entitlements.MigrateHolders)
	default:
		err = o.Entitlements.DeleteTier(r.Context(), r.PathValue("tier"))
	}
	o.answer(w, r, nil, err)
}

func (o *Operator) changeDefault(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Product string `json:"product"`
		Bucket  string `json:"bucket"`
	}
	if !read(w, r, &body) {
		return
	}
	bucket := entitlements.FillVacant
	switch body.Bucket {
	case "grandfather":
		bucket = entitlements.Grandfather
	case "migrate":
		bucket = entitlements.Migrate
	}
	err := o.Entitlements.ChangeOrgTypeDefault(r.Context(), r.PathValue("type"), body.Product, bucket)
	o.answer(w, r, nil, err)
}

func (o *Operator) stripeEvent(w http.ResponseWriter, r *http.Request) {
	var event struct {
		Type   string `json:"type"`
		Object string `json:"object"`
	}
	if !read(w, r, &event) {
		return
	}
	var err error
	switch event.Type {
	case "customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted":
		err = o.Subscriptions.ReconcileSubscription(r.Context(), event.Object)
	case "invoice.paid", "invoice.finalized", "invoice.voided":
		err = o.Invoices.HandleInvoiceEvent(r.Context(), event.Object)
	}
	o.answer(w, r, nil, err)
}

func (o *Operator) checkoutReturn(w http.ResponseWriter, r *http.Request) {
	err := o.Subscriptions.ReconcileSubscription(r.Context(), r.URL.Query().Get("subscription"))
	o.answer(w, r, nil, err)
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		http.Error(w, "request is not readable", http.StatusBadRequest)
		return false
	}
	return true
}

func (o *Operator) answer(w http.ResponseWriter, r *http.Request, body any, err error) {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		http.Error(w, "not found", http.StatusNotFound)
	case errors.Is(err, entitlements.ErrTierHeld), errors.Is(err, entitlements.ErrNoPool), errors.Is(err, entitlements.ErrUnknownTiers):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		o.Log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
		http.Error(w, "request failed", http.StatusInternalServerError)
	case body == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
	}
}
