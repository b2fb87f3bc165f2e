// Package activities carries lifecycle requests for FedWiki sites out and
// records what came of them.
package activities

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/integration/lifecycledb"
	"example.test/memberconsole/internal/integrations/fedwiki"
	"example.test/memberconsole/internal/integrations/fedwiki/sitesdb"
	"example.test/memberconsole/internal/usage"
)

// ErrNotAccepted is returned for an outcome of a request that is not waiting
// for one.
var ErrNotAccepted = errors.New("request is not waiting for an outcome")

// Activities are the steps of the FedWiki workflows.
type Activities struct {
	db   *sql.DB
	farm fedwiki.Farm
}

// New returns the activities.
func New(db *sql.DB, farm fedwiki.Farm) *Activities {
	return &Activities{db: db, farm: farm}
}

// Outcome is the end of one lifecycle request.
type Outcome struct {
	RequestID  string
	InstanceID string
	Status     string
	Detail     string
}

// finishAllWith records outcomes and runs fn in one transaction. Outcomes come
// in the order in which their requests were recorded, and so do the locks.
func (a *Activities) finishAllWith(ctx context.Context, outcomes []Outcome, fn func(tx *sql.Tx) error) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	defer tx.Rollback()
	q := lifecycledb.New(tx)
	for _, o := range outcomes {
		if err := q.LockLifecycleInstance(ctx, o.InstanceID); err != nil {
			return fmt.Errorf("finish %s: lock: %w", o.RequestID, err)
		}
	}
	for _, o := range outcomes {
		n, err := q.FinishLifecycleRequest(ctx, lifecycledb.FinishLifecycleRequestParams{
			RequestID: o.RequestID,
			Status:    o.Status,
			Outcome:   sql.NullString{String: o.Detail, Valid: o.Detail != ""},
		})
		if err != nil {
			return fmt.Errorf("finish %s: %w", o.RequestID, err)
		}
		if n == 0 {
			return fmt.Errorf("finish %s: %w", o.RequestID, ErrNotAccepted)
		}
	}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// StartRequestActivity marks a request as taken up by its workflow.
func (a *Activities) StartRequestActivity(ctx context.Context, requestID string) error {
	if _, err := lifecycledb.New(a.db).StartLifecycleRequest(ctx, requestID); err != nil {
		return fmt.Errorf("start %s: %w", requestID, err)
	}
	return nil
}

// ReserveSlotActivity takes a slot of the workspace before a site is activated.
func (a *Activities) ReserveSlotActivity(ctx context.Context, workspaceID string) error {
	return usage.Take(ctx, a.db, workspaceID)
}

// SiteStatus is the outcome of a change of one site's status.
type SiteStatus struct {
	Outcome   Outcome
	Workspace string
	Domain    string
	Status    string
}

// RecordSiteStatusActivity records that a site changed its status, and gives
// its slot back when it is active no more.
func (a *Activities) RecordSiteStatusActivity(ctx context.Context, in SiteStatus) error {
	return a.finishAllWith(ctx, []Outcome{in.Outcome}, func(tx *sql.Tx) error {
		was, err := moveSite(ctx, tx, in.Domain, in.Status)
		if err != nil {
			return err
		}
		if was == "active" && in.Status != "active" {
			return usage.Release(ctx, tx, in.Workspace)
		}
		return nil
	})
}

// Swap is the outcome of a swap of two sites.
type Swap struct {
	Activated, Parked             Outcome
	Workspace                     string
	ActivatedDomain, ParkedDomain string
}

// RecordSwapActivity records that one site took the place of another. The
// counter follows what each site's row called for.
func (a *Activities) RecordSwapActivity(ctx context.Context, in Swap) error {
	return a.finishAllWith(ctx, []Outcome{in.Activated, in.Parked}, func(tx *sql.Tx) error {
		parkedWas, err := moveSite(ctx, tx, in.ParkedDomain, "parked")
		if err != nil {
			return err
		}
		activatedWas, err := moveSite(ctx, tx, in.ActivatedDomain, "active")
		if err != nil {
			return err
		}
		freed, taken := parkedWas == "active", activatedWas != "active"
		switch {
		case freed && !taken:
			return usage.Release(ctx, tx, in.Workspace)
		case taken && !freed:
			return usage.Take(ctx, tx, in.Workspace)
		}
		return nil
	})
}

// SiteDeleted is the outcome of a deletion.
type SiteDeleted struct {
	Outcome   Outcome
	Workspace string
	Domain    string
}

// RecordSiteDeletedActivity records that a site is gone.
func (a *Activities) RecordSiteDeletedActivity(ctx context.Context, in SiteDeleted) error {
	return a.finishAllWith(ctx, []Outcome{in.Outcome}, func(tx *sql.Tx) error {
		was, err := sitesdb.New(tx).MarkSiteDeleted(ctx, in.Domain)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("delete site %s: %w", in.Domain, err)
		}
		if was.PreviousStatus != "active" {
			return nil
		}
		return usage.Release(ctx, tx, in.Workspace)
	})
}

// moveSite locks the row of a site, sets its status and returns what it was.
func moveSite(ctx context.Context, tx *sql.Tx, domain, status string) (string, error) {
	q := sitesdb.New(tx)
	site, err := q.LockSiteStatusByDomain(ctx, domain)
	if err != nil {
		return "", fmt.Errorf("lock site %s: %w", domain, err)
	}
	if site.Status == status {
		return site.Status, nil
	}
	if _, err := q.SetSiteStatus(ctx, sitesdb.SetSiteStatusParams{Domain: domain, Status: status}); err != nil {
		return "", fmt.Errorf("move site %s: %w", domain, err)
	}
	return site.Status, nil
}
