package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/integration"
	"example.test/memberconsole/internal/integrations/fedwiki/sitesdb"
)

func (p *Pages) createSite(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Person string `json:"person"`
		Domain string `json:"domain"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, "request is not readable", http.StatusBadRequest)
		return
	}
	a, err := p.create(r.Context(), r.PathValue("workspace"), body.Domain, body.Person)
	p.answer(w, r, err, a)
}

// create reserves the name together with the site's row, and then records the
// site's first request.
func (p *Pages) create(ctx context.Context, workspaceID, domain, person string) (integration.Answer, error) {
	var siteID string
	err := p.registry.WithLock(ctx, func(tx *domains.Tx) error {
		var err error
		siteID, err = sitesdb.New(tx.SQL()).InsertSite(ctx, sitesdb.InsertSiteParams{
			WorkspaceID: workspaceID,
			Domain:      domain,
			Status:      "parked",
		})
		if err != nil {
			return fmt.Errorf("insert site %s: %w", domain, err)
		}
		return tx.Reserve(ctx, domain, domains.Owner{Kind: "fedwiki", ID: siteID})
	})
	if err != nil {
		return integration.Answer{}, err
	}
	return integration.RecordFirstLifecycleRequest(ctx, p.db, integration.Spec{
		InstanceID: siteID,
		Operation:  "create",
		Content:    domain,
		PersonID:   person,
	})
}

func (p *Pages) releaseSite(w http.ResponseWriter, r *http.Request) {
	err := p.release(r.Context(), r.PathValue("workspace"), r.PathValue("site"))
	p.answer(w, r, err)
}

// release gives the name of a site back.
func (p *Pages) release(ctx context.Context, workspaceID, siteID string) error {
	site, err := sitesdb.New(p.db).GetSite(ctx, siteID)
	if err != nil {
		return fmt.Errorf("site %s: %w", siteID, err)
	}
	if site.WorkspaceID != workspaceID {
		return errNotInSpace
	}
	return p.registry.WithLock(ctx, func(tx *domains.Tx) error {
		return tx.Release(ctx, site.Domain, domains.Owner{Kind: "fedwiki", ID: siteID})
	})
}
