// Package web holds the member's pages for FedWiki sites.
package web

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/integration"
	"example.test/memberconsole/internal/integrations/fedwiki/sitesdb"
)

var (
	errCooldown   = errors.New("site was rotated too recently")
	errNotInSpace = errors.New("site is not in this workspace")
)

// Starter starts the workflow that carries a lifecycle request out.
type Starter interface {
	Start(ctx context.Context, requestID string) error
}

// Pages answers the member's requests.
type Pages struct {
	db       *sql.DB
	registry *domains.Registry
	starter  Starter
	cooldown time.Duration
	now      func() time.Time
	log      *slog.Logger
}

// New returns the pages. A site may rotate once per cooldown.
func New(db *sql.DB, registry *domains.Registry, starter Starter, cooldown time.Duration, log *slog.Logger) *Pages {
	return &Pages{db: db, registry: registry, starter: starter, cooldown: cooldown, now: time.Now, log: log}
}

// Routes adds the pages to mux.
func (p *Pages) Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST /workspaces/{workspace}/sites", p.createSite)
	mux.HandleFunc("DELETE /workspaces/{workspace}/sites/{site}", p.releaseSite)
	mux.HandleFunc("POST /workspaces/{workspace}/sites/{site}/status", p.postStatus)
	mux.HandleFunc("POST /workspaces/{workspace}/sites/{site}/swap", p.postSwap)
}

// withWorkspaceTx runs fn in a transaction in which no other tab rotates a site
// of the workspace.
func (p *Pages) withWorkspaceTx(ctx context.Context, workspaceID string, fn func(tx *sql.Tx) error) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("workspace %s: %w", workspaceID, err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtext($1)::bigint)`, workspaceID); err != nil {
		return fmt.Errorf("workspace %s: lock: %w", workspaceID, err)
	}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// change is a member's wish about one site.
type change struct {
	Workspace string
	Site      string
	Person    string
	Status    string
	Cooldown  time.Duration
}

func (p *Pages) postStatus(w http.ResponseWriter, r *http.Request) {
	c, err := readChange(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if c.Status == "active" {
		c.Cooldown = p.cooldown
	}
	a, err := p.changeStatus(r.Context(), c)
	p.answer(w, r, err, a)
}

// changeStatus records a change of a site's status. Only a change with a
// cooldown needs the workspace to itself.
func (p *Pages) changeStatus(ctx context.Context, c change) (integration.Answer, error) {
	spec := integration.Spec{InstanceID: c.Site, Operation: "status", Content: c.Status, PersonID: c.Person}
	if c.Cooldown == 0 {
		return integration.RecordLifecycleRequest(ctx, p.db, spec)
	}
	var a integration.Answer
	err := p.withWorkspaceTx(ctx, c.Workspace, func(tx *sql.Tx) error {
		q := sitesdb.New(tx)
		if err := p.checkCooldown(ctx, q, c); err != nil {
			return err
		}
		if _, err := q.StampSiteRotation(ctx, sitesdb.StampSiteRotationParams{SiteID: c.Site, RotatedAt: p.now()}); err != nil {
			return fmt.Errorf("stamp rotation: %w", err)
		}
		var err error
		a, err = integration.RecordLifecycleRequest(ctx, tx, spec)
		return err
	})
	return a, err
}

func (p *Pages) checkCooldown(ctx context.Context, q *sitesdb.Queries, c change) error {
	last, err := q.GetLastRotation(ctx, c.Workspace)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("last rotation: %w", err)
	}
	if p.now().Sub(last) < c.Cooldown {
		return errCooldown
	}
	return nil
}

func (p *Pages) postSwap(w http.ResponseWriter, r *http.Request) {
	c, err := readChange(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a, err := p.swapActiveSite(r.Context(), c)
	p.answer(w, r, err, a...)
}

// swapActiveSite activates one site and parks the one that has been active the
// longest. The activated site's request is recorded first.
func (p *Pages) swapActiveSite(ctx context.Context, c change) ([]integration.Answer, error) {
	var answers []integration.Answer
	err := p.withWorkspaceTx(ctx, c.Workspace, func(tx *sql.Tx) error {
		q := sitesdb.New(tx)
		site, err := q.GetSite(ctx, c.Site)
		if err != nil {
			return fmt.Errorf("site %s: %w", c.Site, err)
		}
		if site.WorkspaceID != c.Workspace {
			return errNotInSpace
		}
		parked, err := q.GetActiveSite(ctx, sitesdb.GetActiveSiteParams{WorkspaceID: c.Workspace, ExceptSiteID: c.Site})
		if err != nil {
			return fmt.Errorf("active site: %w", err)
		}
		activate := integration.Spec{InstanceID: c.Site, Operation: "swap", Content: "active", PersonID: c.Person}
		first, err := integration.RecordLifecycleRequest(ctx, tx, activate)
		if err != nil {
			return err
		}
		park := integration.Spec{InstanceID: parked.SiteID, Operation: "swap", Content: "parked", PersonID: c.Person}
		second, err := integration.RecordLifecycleRequest(ctx, tx, park)
		if err != nil {
			return err
		}
		answers = []integration.Answer{first, second}
		return q.UpsertSwapPolicy(ctx, sitesdb.UpsertSwapPolicyParams{WorkspaceID: c.Workspace, LastSwapAt: p.now()})
	})
	return answers, err
}

func readChange(r *http.Request) (change, error) {
	c := change{Workspace: r.PathValue("workspace"), Site: r.PathValue("site")}
	var body struct {
		Person string `json:"person"`
		Status string `json:"status"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return c, errors.New("request is not readable")
	}
	c.Person, c.Status = body.Person, body.Status
	return c, nil
}

// answer starts the workflows of new requests and tells the member.
func (p *Pages) answer(w http.ResponseWriter, r *http.Request, err error, answers ...integration.Answer) {
	switch {
	case errors.Is(err, errCooldown), errors.Is(err, integration.ErrConflict), errors.Is(err, domains.ErrTaken):
		http.Error(w, err.Error(), http.StatusConflict)
		return
	case errors.Is(err, errNotInSpace), errors.Is(err, sql.ErrNoRows), errors.Is(err, domains.ErrNotOwned):
		http.Error(w, "no such site", http.StatusNotFound)
		return
	case err != nil:
		p.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
		http.Error(w, "request failed", http.StatusInternalServerError)
		return
	}
	for _, a := range answers {
		if !a.Created {
			continue
		}
		if err := p.start(r.Context(), a.RequestID); err != nil {
			p.log.ErrorContext(r.Context(), "workflow not started", "request", a.RequestID, "error", err)
			http.Error(w, "request not started", http.StatusBadGateway)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_ = json.NewEncoder(w).Encode(answers)
}

// start starts a request's workflow, and takes the request back when it cannot.
func (p *Pages) start(ctx context.Context, requestID string) error {
	err := p.starter.Start(ctx, requestID)
	if err == nil {
		return nil
	}
	if undo := integration.DeleteUnstartedLifecycleRequest(ctx, p.db, requestID); undo != nil {
		return errors.Join(err, undo)
	}
	return err
}
