// Package worker runs what nobody waits for: expiries, drains, the relay and
// the sweeps, each on its own clock.
package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"example.test/memberconsole/internal/core"
	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/integrations/fedwiki/activities"
	"example.test/memberconsole/internal/integrations/stripe/workflows"
	"example.test/memberconsole/internal/workflows/desiredstate"
)

// Worker holds the background activities.
type Worker struct {
	db       *sql.DB
	ent      *entitlements.Service
	relay    *desiredstate.Relay
	invoices *workflows.Invoices
	sites    *activities.Activities
	log      *slog.Logger
}

// New returns a Worker.
func New(db *sql.DB, ent *entitlements.Service, relay *desiredstate.Relay, invoices *workflows.Invoices, sites *activities.Activities, log *slog.Logger) *Worker {
	return &Worker{db: db, ent: ent, relay: relay, invoices: invoices, sites: sites, log: log}
}

// poller is an activity that runs again and again.
type poller struct {
	name  string
	every time.Duration
	run   func(context.Context) error
}

// Run polls until ctx is done.
func (w *Worker) Run(ctx context.Context) {
	pollers := []poller{
		{"expire grants", time.Minute, w.ExpireDueGrants},
		{"drain rule changes", 30 * time.Second, w.DrainOwedChanges},
		{"relay desired state", 5 * time.Second, w.RelayDesiredState},
		{"read desired state back", 10 * time.Minute, w.relay.ReadBack},
		{"sweep invoices", time.Hour, w.invoices.SweepInvoices},
		{"sweep downgrades", 10 * time.Minute, w.SweepDowngrades},
	}
	var wg sync.WaitGroup
	for _, p := range pollers {
		wg.Go(func() { w.poll(ctx, p) })
	}
	wg.Wait()
}

func (w *Worker) poll(ctx context.Context, p poller) {
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := p.run(ctx); err != nil {
			w.log.WarnContext(ctx, "poll failed", "poller", p.name, "error", err)
		}
	}
}

// ExpireDueGrants expires every grant whose time is over.
func (w *Worker) ExpireDueGrants(ctx context.Context) error {
	due, err := core.New(w.db).ListExpiredGrants(ctx, sql.NullTime{Time: time.Now(), Valid: true})
	if err != nil {
		return fmt.Errorf("list due grants: %w", err)
	}
	var failed []error
	for _, id := range due {
		if err := w.ExpireGrantActivity(ctx, id); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// ExpireGrantActivity expires one grant.
func (w *Worker) ExpireGrantActivity(ctx context.Context, grantID string) error {
	tx, err := entitlements.BeginMaterializing(ctx, w.db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := w.ent.ExpireGrantTx(ctx, tx, grantID); err != nil {
		return err
	}
	return tx.Commit()
}

// DrainOwedChanges drains the batches that still owe a pool.
func (w *Worker) DrainOwedChanges(ctx context.Context) error {
	batches, err := core.New(w.db).ListOwedBatches(ctx)
	if err != nil {
		return fmt.Errorf("list owed batches: %w", err)
	}
	var failed []error
	for _, id := range batches {
		if err := w.DrainChangeActivity(ctx, id); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// DrainChangeActivity drains one batch.
func (w *Worker) DrainChangeActivity(ctx context.Context, batchID string) error {
	return w.ent.DrainChange(ctx, batchID)
}

// RelayDesiredState empties the outbox and dispatches what came of it.
func (w *Worker) RelayDesiredState(ctx context.Context) error {
	for {
		n, err := w.relay.ProcessDesiredStateOutbox(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return w.relay.Dispatch(ctx)
		}
	}
}

// SweepDowngrades parks the sites that no pool pays for any more.
func (w *Worker) SweepDowngrades(ctx context.Context) error {
	workspaces, err := core.New(w.db).ListWorkspaces(ctx)
	if err != nil {
		return fmt.Errorf("list workspaces: %w", err)
	}
	var failed []error
	for _, id := range workspaces {
		if _, err := w.sites.SweepDowngradeActivity(ctx, id); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
