// Package stripetest is a Stripe that answers from memory.
package stripetest

import (
	"context"

	"example.test/memberconsole/internal/integrations/stripe"
)

// Client is a stripe.Client on its fields.
type Client struct {
	Subscriptions map[string]stripe.Subscription
	Invoices      map[string]stripe.Invoice
	Released      []string
}

// New returns an empty Client.
func New() *Client {
	return &Client{Subscriptions: map[string]stripe.Subscription{}, Invoices: map[string]stripe.Invoice{}}
}

// Subscription returns a subscription.
func (c *Client) Subscription(_ context.Context, id string) (stripe.Subscription, error) {
	s, ok := c.Subscriptions[id]
	if !ok {
		return s, stripe.ErrNotFound
	}
	return s, nil
}

// ReleaseSchedule notes the schedule.
func (c *Client) ReleaseSchedule(_ context.Context, id string) error {
	c.Released = append(c.Released, id)
	return nil
}

// Invoice returns an invoice.
func (c *Client) Invoice(_ context.Context, id string) (stripe.Invoice, error) {
	inv, ok := c.Invoices[id]
	if !ok {
		return inv, stripe.ErrNotFound
	}
	return inv, nil
}
