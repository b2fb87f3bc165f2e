package stripe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// HTTPClient is a Client that speaks to Stripe's API.
type HTTPClient struct {
	base string
	key  string
	http *http.Client
}

// NewHTTPClient returns a client of the API at base.
func NewHTTPClient(base, key string, c *http.Client) *HTTPClient {
	return &HTTPClient{base: strings.TrimSuffix(base, "/"), key: key, http: c}
}

// Subscription reads a subscription.
func (c *HTTPClient) Subscription(ctx context.Context, id string) (Subscription, error) {
	var s Subscription
	err := c.do(ctx, http.MethodGet, "/v1/subscriptions/"+url.PathEscape(id), &s)
	return s, err
}

// ReleaseSchedule releases a subscription schedule.
func (c *HTTPClient) ReleaseSchedule(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodPost, "/v1/subscription_schedules/"+url.PathEscape(id)+"/release", nil)
}

// Invoice reads an invoice.
func (c *HTTPClient) Invoice(ctx context.Context, id string) (Invoice, error) {
	var inv Invoice
	err := c.do(ctx, http.MethodGet, "/v1/invoices/"+url.PathEscape(id), &inv)
	return inv, err
}

func (c *HTTPClient) do(ctx context.Context, method, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, nil)
	if err != nil {
		return fmt.Errorf("stripe: %s: %w", path, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("stripe: %s: %w", path, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("stripe: %s: %w", path, ErrNotFound)
	case resp.StatusCode >= 300:
		return fmt.Errorf("stripe: %s: status %d", path, resp.StatusCode)
	case into == nil:
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("stripe: %s: decode: %w", path, err)
	}
	return nil
}
