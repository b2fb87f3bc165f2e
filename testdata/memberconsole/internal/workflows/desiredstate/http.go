package desiredstate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// HTTPPusher is a Pusher for connections that speak HTTP.
type HTTPPusher struct{ Client *http.Client }

// Push sends a record.
func (p HTTPPusher) Push(ctx context.Context, endpoint string, r Record) (Answer, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return Answer{}, fmt.Errorf("push: %w", err)
	}
	return p.do(ctx, http.MethodPut, endpoint, r.Address, body)
}

// ReadBack asks what is held.
func (p HTTPPusher) ReadBack(ctx context.Context, endpoint string, a Address) (Answer, error) {
	return p.do(ctx, http.MethodGet, endpoint, a, nil)
}

func (p HTTPPusher) do(ctx context.Context, method, endpoint string, a Address, body []byte) (Answer, error) {
	at, err := url.JoinPath(endpoint, a.Kind, a.ID)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", endpoint, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", at, err)
	}
	resp, err := p.Client.Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", at, err)
	}
	defer resp.Body.Close()
	var said Answer
	if resp.StatusCode >= 300 {
		return said, fmt.Errorf("%s: status %d", at, resp.StatusCode)
	}
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		return said, fmt.Errorf("%s: decode: %w", at, err)
	}
	return said, nil
}
