// Package stripe says what the console asks of Stripe. The client that speaks
// to the network lives with its caller; tests bring their own.
package stripe

import (
	"context"
	"errors"
)

// ErrNotFound is returned for an object that Stripe does not know.
var ErrNotFound = errors.New("stripe: no such object")

// Subscription is a subscription as Stripe reports it.
type Subscription struct {
	ID       string
	OrgID    string
	Status   string
	Items    []Item
	Schedule *Schedule
}

// Item is a product on a subscription. Product is the console's own id, which
// Stripe carries as metadata.
type Item struct {
	Product  string
	Quantity int32
}

// Schedule is a planned change of a subscription.
type Schedule struct {
	ID      string
	Spent   bool
	Changes []ScheduledChange
}

// ScheduledChange is one product that a schedule will change.
type ScheduledChange struct {
	Kind    string
	Product string
}

// Invoice is an invoice with its lines and payments.
type Invoice struct {
	ID           string
	Subscription string
	Status       string
	TotalCents   int64
	Lines        []Line
	Payments     []Payment
}

// Line is a line of an invoice.
type Line struct {
	Description string
	AmountCents int64
}

// Payment is a payment of an invoice.
type Payment struct {
	ID          string
	AmountCents int64
}

// Client is the part of Stripe that the console uses.
type Client interface {
	Subscription(ctx context.Context, id string) (Subscription, error)
	ReleaseSchedule(ctx context.Context, id string) error
	Invoice(ctx context.Context, id string) (Invoice, error)
}
