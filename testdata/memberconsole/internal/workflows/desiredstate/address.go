package desiredstate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/core"
)

// lockAddress serializes every write to the record at an address, also while
// there is none.
func lockAddress(ctx context.Context, q *core.Queries, a Address) error {
	err := q.LockDesiredStateAddress(ctx, core.LockDesiredStateAddressParams{
		ConnectionID:  a.Connection,
		RecipientKind: a.Kind,
		RecipientID:   a.ID,
	})
	if err != nil {
		return fmt.Errorf("lock address of %s %s: %w", a.Kind, a.ID, err)
	}
	return nil
}

// atAddress runs fn with the record at an address, under both of its locks. The
// record is nil while there is none.
func (r *Relay) atAddress(ctx context.Context, a Address, fn func(q *core.Queries, rec *core.LockDesiredStateRecordRow) error) error {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return fmt.Errorf("address: %w", err)
	}
	defer tx.Rollback()
	q := core.New(tx)
	if err := lockAddress(ctx, q, a); err != nil {
		return err
	}
	rec, err := q.LockDesiredStateRecord(ctx, core.LockDesiredStateRecordParams{
		ConnectionID:  a.Connection,
		RecipientKind: a.Kind,
		RecipientID:   a.ID,
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = fn(q, nil)
	case err == nil:
		err = fn(q, &rec)
	}
	if err != nil {
		return fmt.Errorf("record of %s %s: %w", a.Kind, a.ID, err)
	}
	return tx.Commit()
}

// recomputeAddress writes what the connection should hold now. The content is
// computed in a statement after the locks, so it sees what was committed
// before they were granted.
func (r *Relay) recomputeAddress(ctx context.Context, a Address) error {
	return r.atAddress(ctx, a, func(q *core.Queries, rec *core.LockDesiredStateRecordRow) error {
		return converge(ctx, q, a, rec)
	})
}

func converge(ctx context.Context, q *core.Queries, a Address, rec *core.LockDesiredStateRecordRow) error {
	content, err := compute(ctx, q, a)
	if err != nil {
		return err
	}
	if rec == nil {
		_, err := q.InsertDesiredStateRecord(ctx, core.InsertDesiredStateRecordParams{
			ConnectionID:  a.Connection,
			RecipientKind: a.Kind,
			RecipientID:   a.ID,
			Content:       content,
		})
		return err
	}
	if rec.Content == content {
		return nil
	}
	_, err = q.UpdateDesiredStateRecord(ctx, core.UpdateDesiredStateRecordParams{RecordID: rec.RecordID, Content: content})
	return err
}

func compute(ctx context.Context, q *core.Queries, a Address) (string, error) {
	switch a.Kind {
	case "pool":
		return q.ComputePoolContent(ctx, a.ID)
	case "site":
		content, err := q.ComputeSiteContent(ctx, a.ID)
		if errors.Is(err, sql.ErrNoRows) {
			return "", nil
		}
		return content, err
	default:
		return "", fmt.Errorf("recipient kind %q is not known", a.Kind)
	}
}

// readBackItem notes what a connection holds. When that is not what it should
// hold, the content is computed anew and sent again.
func (r *Relay) readBackItem(ctx context.Context, a Address, held Answer) error {
	return r.atAddress(ctx, a, func(q *core.Queries, rec *core.LockDesiredStateRecordRow) error {
		if rec == nil {
			return converge(ctx, q, a, nil)
		}
		if err := project(ctx, q, rec.RecordID, held); err != nil {
			return err
		}
		return converge(ctx, q, a, rec)
	})
}

// writePushAnswer notes what a connection answered to a push.
func (r *Relay) writePushAnswer(ctx context.Context, a Address, said Answer) error {
	return r.atAddress(ctx, a, func(q *core.Queries, rec *core.LockDesiredStateRecordRow) error {
		if rec == nil {
			return nil
		}
		return project(ctx, q, rec.RecordID, said)
	})
}

func project(ctx context.Context, q *core.Queries, recordID string, a Answer) error {
	return q.UpsertProjection(ctx, core.UpsertProjectionParams{
		RecordID:           recordID,
		ObservedContent:    a.Content,
		ObservedGeneration: a.Generation,
	})
}
