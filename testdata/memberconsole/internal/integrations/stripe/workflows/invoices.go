// Package workflows keeps the console's copies of Stripe's invoices.
package workflows

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/integrations/stripe"
	"example.test/memberconsole/internal/integrations/stripe/stripedb"
)

// Invoices reconciles invoices, when Stripe reports an event and in a sweep.
type Invoices struct {
	db     *sql.DB
	client stripe.Client
}

// NewInvoices returns the invoice workflows.
func NewInvoices(db *sql.DB, client stripe.Client) *Invoices {
	return &Invoices{db: db, client: client}
}

// HandleInvoiceEvent reconciles the invoice of an event.
func (w *Invoices) HandleInvoiceEvent(ctx context.Context, invoiceID string) error {
	return w.reconcile(ctx, invoiceID)
}

// SweepInvoices reconciles every invoice that is still open.
func (w *Invoices) SweepInvoices(ctx context.Context) error {
	open, err := stripedb.New(w.db).ListOpenInvoices(ctx)
	if err != nil {
		return fmt.Errorf("open invoices: %w", err)
	}
	var failed []error
	for _, id := range open {
		if err := w.reconcile(ctx, id); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (w *Invoices) reconcile(ctx context.Context, invoiceID string) error {
	inv, err := w.client.Invoice(ctx, invoiceID)
	if err != nil {
		return fmt.Errorf("invoice %s: %w", invoiceID, err)
	}
	r := invoiceReconcile{db: w.db, invoice: inv}
	if err := r.converge(ctx); err != nil {
		return fmt.Errorf("invoice %s: %w", invoiceID, err)
	}
	return nil
}

// invoiceReconcile is one reconcile of one invoice.
type invoiceReconcile struct {
	db      *sql.DB
	invoice stripe.Invoice
}

const lockInvoice = `SELECT pg_advisory_xact_lock(hashtext($1)::bigint)`

func (r *invoiceReconcile) converge(ctx context.Context) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, lockInvoice, r.invoice.ID); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	q := stripedb.New(r.db).WithTx(tx)
	err = q.UpsertInvoice(ctx, stripedb.UpsertInvoiceParams{
		InvoiceID:      r.invoice.ID,
		SubscriptionID: sql.NullString{String: r.invoice.Subscription, Valid: r.invoice.Subscription != ""},
		Status:         r.invoice.Status,
		TotalCents:     r.invoice.TotalCents,
	})
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	if err := r.lines(ctx, q); err != nil {
		return err
	}
	for _, p := range r.invoice.Payments {
		err := q.UpsertPayment(ctx, stripedb.UpsertPaymentParams{PaymentID: p.ID, InvoiceID: r.invoice.ID, AmountCents: p.AmountCents})
		if err != nil {
			return fmt.Errorf("payment %s: %w", p.ID, err)
		}
	}
	return tx.Commit()
}

func (r *invoiceReconcile) lines(ctx context.Context, q *stripedb.Queries) error {
	if _, err := q.DeleteInvoiceLines(ctx, r.invoice.ID); err != nil {
		return fmt.Errorf("old lines: %w", err)
	}
	for i, l := range r.invoice.Lines {
		err := q.InsertInvoiceLine(ctx, stripedb.InsertInvoiceLineParams{
			InvoiceID:   r.invoice.ID,
			LineNo:      int32(i + 1),
			Description: l.Description,
			AmountCents: l.AmountCents,
		})
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}
