package fulfillment

import (
	"context"
	"database/sql"
	"fmt"

	"example.test/memberconsole/internal/core"
)

// lockSubscription serializes the reconciles of one subscription.
func lockSubscription(ctx context.Context, tx *sql.Tx, subscriptionID string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtext($1)::bigint)`, subscriptionID)
	if err != nil {
		return fmt.Errorf("lock subscription: %w", err)
	}
	return nil
}

// releaseSpentSchedule lets Stripe forget a schedule that has run out. Nothing
// is locked while Stripe is asked.
func (r *Reconciler) releaseSpentSchedule(ctx context.Context, subscriptionID, scheduleID string) error {
	held, err := core.New(r.db).CountScheduledDowngrades(ctx, scheduleID)
	if err != nil {
		return fmt.Errorf("downgrades of %s: %w", scheduleID, err)
	}
	if err := r.client.ReleaseSchedule(ctx, scheduleID); err != nil {
		r.log.WarnContext(ctx, "schedule not released", "schedule", scheduleID, "error", err)
		return nil
	}
	if held == 0 {
		return nil
	}
	return r.supersedeReleasedDowngrades(ctx, subscriptionID, scheduleID)
}

func (r *Reconciler) supersedeReleasedDowngrades(ctx context.Context, subscriptionID, scheduleID string) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("supersede: %w", err)
	}
	defer tx.Rollback()
	if err := lockSubscription(ctx, tx, subscriptionID); err != nil {
		return fmt.Errorf("supersede: %w", err)
	}
	if _, err := core.New(tx).SupersedeDowngrades(ctx, scheduleID); err != nil {
		return fmt.Errorf("supersede %s: %w", scheduleID, err)
	}
	return tx.Commit()
}
