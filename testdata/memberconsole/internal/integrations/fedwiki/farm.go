package fedwiki

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// HTTPFarm is a farm that is told over HTTP.
type HTTPFarm struct {
	Base   string
	Client *http.Client
}

// SetStatus tells the farm to serve a site or to park it.
func (f *HTTPFarm) SetStatus(ctx context.Context, domain, status string) error {
	at := strings.TrimSuffix(f.Base, "/") + "/sites/" + url.PathEscape(domain)
	form := url.Values{"status": {status}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := f.Client.Do(req)
	if err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("farm: %s: status %d", domain, resp.StatusCode)
	}
	return nil
}
