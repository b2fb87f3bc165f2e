package activities

import (
	"context"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/integration/lifecycledb"
	"example.test/memberconsole/internal/integrations/fedwiki"
	"example.test/memberconsole/internal/integrations/fedwiki/sitesdb"
)

// Runner starts the workflow of a request and runs it to its end.
type Runner struct {
	acts     *Activities
	registry *domains.Registry
}

// NewRunner returns a Runner of acts.
func NewRunner(acts *Activities, registry *domains.Registry) *Runner {
	return &Runner{acts: acts, registry: registry}
}

// Start carries a request out and records its outcome.
func (r *Runner) Start(ctx context.Context, requestID string) error {
	req, err := lifecycledb.New(r.acts.db).GetLifecycleRequest(ctx, requestID)
	if err != nil {
		return fmt.Errorf("request %s: %w", requestID, err)
	}
	site, err := sitesdb.New(r.acts.db).GetSite(ctx, req.InstanceID)
	if err != nil {
		return fmt.Errorf("site of request %s: %w", requestID, err)
	}
	if err := r.acts.StartRequestActivity(ctx, requestID); err != nil {
		return err
	}
	if req.Operation == "swap" {
		return nil // both halves of a swap finish together, in RecordSwapActivity
	}
	status := req.Content
	if req.Operation == "create" {
		status = "active"
	}
	outcome := Outcome{RequestID: requestID, InstanceID: req.InstanceID, Status: "done"}
	if err := r.carryOut(ctx, site, status); err != nil {
		outcome.Status, outcome.Detail, status = "failed", err.Error(), site.Status
	}
	return r.acts.RecordSiteStatusActivity(ctx, SiteStatus{
		Outcome:   outcome,
		Workspace: site.WorkspaceID,
		Domain:    site.Domain,
		Status:    status,
	})
}

func (r *Runner) carryOut(ctx context.Context, site sitesdb.FedwikiSite, status string) error {
	if status == "active" && site.Status != "active" {
		if err := r.acts.ReserveSlotActivity(ctx, site.WorkspaceID); err != nil {
			return err
		}
	}
	if err := r.acts.farm.SetStatus(ctx, site.Domain, status); err != nil {
		return err
	}
	err := fedwiki.SyncPlacement(ctx, r.registry, site.Domain, site.SiteID)
	if errors.Is(err, domains.ErrNotOwned) {
		return nil
	}
	return err
}
