// Package fulfillment brings the entitlements of a pool in line with the
// subscription that Stripe holds for it.
package fulfillment

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"

	"example.test/memberconsole/internal/core"
	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/integrations/stripe"
)

// Reconciler reconciles subscriptions.
type Reconciler struct {
	db     *sql.DB
	ent    *entitlements.Service
	client stripe.Client
	log    *slog.Logger
}

// New returns a Reconciler.
func New(db *sql.DB, ent *entitlements.Service, client stripe.Client, log *slog.Logger) *Reconciler {
	return &Reconciler{db: db, ent: ent, client: client, log: log}
}

// ReconcileSubscription reads a subscription from Stripe and makes the pool
// agree with it. The checkout return and the webhook both call it.
func (r *Reconciler) ReconcileSubscription(ctx context.Context, subscriptionID string) error {
	sub, err := r.client.Subscription(ctx, subscriptionID)
	if err != nil {
		return fmt.Errorf("reconcile %s: %w", subscriptionID, err)
	}
	spent, err := r.reconcile(ctx, sub)
	if err != nil {
		return fmt.Errorf("reconcile %s: %w", subscriptionID, err)
	}
	if spent == "" {
		return nil
	}
	return r.releaseSpentSchedule(ctx, sub.ID, spent)
}

func (r *Reconciler) reconcile(ctx context.Context, sub stripe.Subscription) (spent string, err error) {
	tx, err := entitlements.BeginMaterializing(ctx, r.db)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	if err := lockSubscription(ctx, tx.Tx(), sub.ID); err != nil {
		return "", err
	}
	q := tx.Queries()
	poolID, err := q.GetDefaultPool(ctx, sub.OrgID)
	if err != nil {
		return "", fmt.Errorf("pool of %s: %w", sub.OrgID, err)
	}
	err = q.UpsertSubscription(ctx, core.UpsertSubscriptionParams{SubscriptionID: sub.ID, OrgID: sub.OrgID, Status: sub.Status})
	if err != nil {
		return "", fmt.Errorf("save subscription: %w", err)
	}
	switch sub.Status {
	case "active", "trialing":
		spent, err = r.active(ctx, tx, sub, poolID)
	case "canceled", "unpaid", "incomplete_expired":
		err = r.ended(ctx, tx, sub, poolID)
	case "past_due", "paused":
		err = r.suspended(ctx, tx, sub, poolID)
	default:
		return "", fmt.Errorf("status %q is not known", sub.Status)
	}
	if err != nil {
		return "", err
	}
	return spent, tx.Commit()
}

func (r *Reconciler) active(ctx context.Context, tx *entitlements.Materializing, sub stripe.Subscription, poolID string) (string, error) {
	if err := reconcileItems(ctx, tx.Queries(), sub, poolID); err != nil {
		return "", err
	}
	if err := r.ent.Materialize(ctx, tx, poolID); err != nil {
		return "", err
	}
	return convergeScheduledChanges(ctx, tx.Queries(), sub)
}

// ended ends the positions first: the pool is locked where they end.
func (r *Reconciler) ended(ctx context.Context, tx *entitlements.Materializing, sub stripe.Subscription, poolID string) error {
	ended, err := tx.Queries().EndConferral(ctx, core.EndConferralParams{
		SourceKind: entitlements.SourceSubscription,
		SourceID:   sub.ID,
		Reason:     "subscription " + sub.Status,
	})
	if err != nil {
		return fmt.Errorf("end provisions: %w", err)
	}
	if ended == 0 {
		return nil
	}
	if err := r.ent.ResumeReplacedGrantsTx(ctx, tx, poolID); err != nil {
		return err
	}
	if err := r.ent.ReapplyDefaultsIfVacant(ctx, tx, poolID); err != nil {
		return err
	}
	return r.ent.Materialize(ctx, tx, poolID)
}

// suspended takes no pool lock: the provisions keep their positions.
func (r *Reconciler) suspended(ctx context.Context, tx *entitlements.Materializing, sub stripe.Subscription, poolID string) error {
	_, err := tx.Queries().SyncSourceStatus(ctx, core.SyncSourceStatusParams{
		SourceKind: entitlements.SourceSubscription,
		SourceID:   sub.ID,
		Suspended:  true,
	})
	if err != nil {
		return fmt.Errorf("suspend provisions: %w", err)
	}
	return r.ent.Materialize(ctx, tx, poolID)
}

func reconcileItems(ctx context.Context, q *core.Queries, sub stripe.Subscription, poolID string) error {
	existing, err := q.ListSourceProvisions(ctx, core.ListSourceProvisionsParams{
		SourceKind: entitlements.SourceSubscription,
		SourceID:   sub.ID,
	})
	if err != nil {
		return fmt.Errorf("provisions: %w", err)
	}
	have := make(map[string]core.ListSourceProvisionsRow, len(existing))
	for _, p := range existing {
		have[p.ProductID] = p
	}
	wanted := make(map[string]bool, len(sub.Items))
	for _, item := range sub.Items {
		wanted[item.Product] = true
		p, ok := have[item.Product]
		switch {
		case !ok || p.Status == "suspended":
			_, err = q.Confer(ctx, core.ConferParams{
				PoolID:     poolID,
				ProductID:  item.Product,
				SourceKind: entitlements.SourceSubscription,
				SourceID:   sub.ID,
				Quantity:   item.Quantity,
			})
		case p.Quantity != item.Quantity:
			err = q.UpdateConferralBounds(ctx, core.UpdateConferralBoundsParams{ProvisionID: p.ProvisionID, Quantity: item.Quantity})
		}
		if err != nil {
			return fmt.Errorf("item %s: %w", item.Product, err)
		}
	}
	for _, p := range existing {
		if wanted[p.ProductID] {
			continue
		}
		_, err := q.EndConferral(ctx, core.EndConferralParams{
			SourceKind: entitlements.SourceSubscription,
			SourceID:   sub.ID,
			ProductID:  sql.NullString{String: p.ProductID, Valid: true},
			Reason:     "item removed",
		})
		if err != nil {
			return fmt.Errorf("end item %s: %w", p.ProductID, err)
		}
	}
	return nil
}

// convergeScheduledChanges writes the ledger of planned changes and names the
// schedule if it is spent.
func convergeScheduledChanges(ctx context.Context, q *core.Queries, sub stripe.Subscription) (string, error) {
	if sub.Schedule == nil {
		return "", nil
	}
	for _, c := range sub.Schedule.Changes {
		err := q.UpsertScheduledChange(ctx, core.UpsertScheduledChangeParams{
			SubscriptionID: sub.ID,
			ScheduleID:     sub.Schedule.ID,
			Kind:           c.Kind,
			ProductID:      c.Product,
		})
		if err != nil {
			return "", fmt.Errorf("scheduled change: %w", err)
		}
	}
	if sub.Schedule.Spent {
		return sub.Schedule.ID, nil
	}
	return "", nil
}
