// Package desiredstate keeps, for each connection, what it should hold about a
// recipient, and sends it there.
package desiredstate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"example.test/memberconsole/internal/core"
)

// claimBatch is how many notices one pass takes.
const claimBatch = 50

// Address is one recipient on one connection.
type Address struct {
	Connection string
	Kind       string
	ID         string
}

// Record is what a connection should hold.
type Record struct {
	ID         string
	Address    Address
	Content    string
	Generation int64
}

// Answer is what a connection said it holds.
type Answer struct {
	Content    string
	Generation int64
}

// Pusher speaks to a connection.
type Pusher interface {
	Push(ctx context.Context, endpoint string, r Record) (Answer, error)
	ReadBack(ctx context.Context, endpoint string, a Address) (Answer, error)
}

// Relay turns notices into records and records into pushes.
type Relay struct {
	db     *sql.DB
	pusher Pusher
}

// New returns a Relay.
func New(db *sql.DB, pusher Pusher) *Relay { return &Relay{db: db, pusher: pusher} }

// ProcessDesiredStateOutbox claims pending notices and recomputes the address
// each of them names on every connection. It returns how many it claimed.
func (r *Relay) ProcessDesiredStateOutbox(ctx context.Context) (int, error) {
	q := core.New(r.db)
	notices, err := q.ClaimDesiredStateOutbox(ctx, claimBatch)
	if err != nil {
		return 0, fmt.Errorf("claim notices: %w", err)
	}
	connections, err := q.ListConnections(ctx)
	if err != nil {
		return len(notices), fmt.Errorf("list connections: %w", err)
	}
	for _, n := range notices {
		for _, c := range connections {
			err := r.recomputeAddress(ctx, Address{Connection: c.ConnectionID, Kind: n.RecipientKind, ID: n.RecipientID})
			if err != nil {
				return len(notices), err
			}
		}
		if _, err := q.FinishDesiredStateNotice(ctx, n.NoticeID); err != nil {
			return len(notices), fmt.Errorf("finish notice %d: %w", n.NoticeID, err)
		}
	}
	return len(notices), nil
}

// Dispatch pushes the records of every connection that wait for it.
func (r *Relay) Dispatch(ctx context.Context) error {
	connections, err := core.New(r.db).ListConnections(ctx)
	if err != nil {
		return fmt.Errorf("list connections: %w", err)
	}
	var failed []error
	for _, c := range connections {
		if err := r.dispatchTo(ctx, c); err != nil {
			failed = append(failed, fmt.Errorf("dispatch to %s: %w", c.Name, err))
		}
	}
	return errors.Join(failed...)
}

func (r *Relay) dispatchTo(ctx context.Context, c core.CoreConnection) error {
	q := core.New(r.db)
	waiting, err := q.ListUndispatchedRecords(ctx, c.ConnectionID)
	if err != nil || len(waiting) == 0 {
		return err
	}
	var sent []string
	for _, w := range waiting {
		rec := Record{
			ID:         w.RecordID,
			Address:    Address{Connection: w.ConnectionID, Kind: w.RecipientKind, ID: w.RecipientID},
			Content:    w.Content,
			Generation: w.Generation,
		}
		a, err := r.pusher.Push(ctx, c.Endpoint, rec)
		if err != nil {
			return err
		}
		if err := r.writePushAnswer(ctx, rec.Address, a); err != nil {
			return err
		}
		sent = append(sent, rec.ID)
	}
	if _, err := q.StampDesiredStateRecordsDispatched(ctx, strings.Join(sent, ",")); err != nil {
		return fmt.Errorf("stamp: %w", err)
	}
	return nil
}

// ReadBack asks every connection what it holds of what was sent to it, the
// oldest first.
func (r *Relay) ReadBack(ctx context.Context) error {
	q := core.New(r.db)
	connections, err := q.ListConnections(ctx)
	if err != nil {
		return fmt.Errorf("list connections: %w", err)
	}
	for _, c := range connections {
		sent, err := q.ListDispatchedRecords(ctx, c.ConnectionID)
		if err != nil {
			return fmt.Errorf("records of %s: %w", c.Name, err)
		}
		for _, s := range sent {
			a := Address{Connection: c.ConnectionID, Kind: s.RecipientKind, ID: s.RecipientID}
			held, err := r.pusher.ReadBack(ctx, c.Endpoint, a)
			if err != nil {
				return fmt.Errorf("read back %s %s: %w", a.Kind, a.ID, err)
			}
			if err := r.readBackItem(ctx, a, held); err != nil {
				return err
			}
		}
	}
	return nil
}
