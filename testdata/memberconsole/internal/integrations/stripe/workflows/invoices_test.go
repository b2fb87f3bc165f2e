package workflows_test

import (
	"context"
	"errors"
	"testing"

	"example.test/memberconsole/internal/integrations/stripe"
	"example.test/memberconsole/internal/integrations/stripe/stripetest"
	"example.test/memberconsole/internal/integrations/stripe/workflows"
	"example.test/memberconsole/internal/testdb"
)

func TestInvoiceConverges(t *testing.T) {
	ctx := context.Background()
	db := testdb.New(t)
	client := stripetest.New()
	w := workflows.NewInvoices(db.DB, client)
	client.Invoices["in_1"] = stripe.Invoice{
		ID: "in_1", Status: "open", TotalCents: 500,
		Lines: []stripe.Line{{Description: "Plus", AmountCents: 300}, {Description: "Tax", AmountCents: 200}},
	}
	if err := w.HandleInvoiceEvent(ctx, "in_1"); err != nil {
		t.Fatal(err)
	}
	client.Invoices["in_1"] = stripe.Invoice{
		ID: "in_1", Status: "paid", TotalCents: 500,
		Lines:    []stripe.Line{{Description: "Plus and tax", AmountCents: 500}},
		Payments: []stripe.Payment{{ID: "py_1", AmountCents: 500}},
	}
	for range 2 {
		if err := w.SweepInvoices(ctx); err != nil {
			t.Fatal(err)
		}
	}
	got := testdb.One[string](t, db, `SELECT status || ' ' || (SELECT count(*) FROM stripe.invoice_lines) || ' ' || (SELECT sum(amount_cents) FROM stripe.payments) FROM stripe.invoices`)
	if want := "paid 1 500"; got != want {
		t.Errorf("invoice, lines, paid: %s, want %s", got, want)
	}
	if err := w.HandleInvoiceEvent(ctx, "in_2"); !errors.Is(err, stripe.ErrNotFound) {
		t.Errorf("unknown invoice: %v, want %v", err, stripe.ErrNotFound)
	}
}
