// Package integration keeps what the console asks of the systems it drives:
// lifecycle requests, and which provider answers for a resource key.
package integration

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/integration/lifecycledb"
)

var (
	// ErrConflict is returned when an instance has moved on.
	ErrConflict = errors.New("lifecycle conflict")
	// ErrCeiling is returned for a generation above the next one.
	ErrCeiling = errors.New("generation above the ceiling")
)

// Spec is a lifecycle request to be recorded.
type Spec struct {
	InstanceID string
	Generation int64
	Operation  string
	Content    string
	PersonID   string
}

// Answer says which request stands for a spec, and whether it was new.
type Answer struct {
	RequestID  string
	Generation int64
	Created    bool
}

// RecordLifecycleRequest records a request, in a transaction of its own when db
// is a *sql.DB and in the caller's otherwise. A spec without a generation asks
// for the next one.
func RecordLifecycleRequest(ctx context.Context, db lifecycledb.DBTX, spec Spec) (Answer, error) {
	var a Answer
	err := inOwnTx(ctx, db, func(q *lifecycledb.Queries) error {
		latest, err := lockLatest(ctx, q, spec.InstanceID)
		if err != nil {
			return err
		}
		a, err = decide(ctx, q, latest, spec)
		return err
	})
	return a, err
}

// RecordFirstLifecycleRequest records the request that brings an instance into
// being. It refuses an instance that already holds another one.
func RecordFirstLifecycleRequest(ctx context.Context, db lifecycledb.DBTX, spec Spec) (Answer, error) {
	if spec.InstanceID == "" {
		return Answer{}, fmt.Errorf("first request: %w", ErrConflict)
	}
	var a Answer
	err := inOwnTx(ctx, db, func(q *lifecycledb.Queries) error {
		latest, err := lockLatest(ctx, q, spec.InstanceID)
		if err != nil {
			return err
		}
		if latest > 0 && spec.Generation > 1 {
			return fmt.Errorf("instance %s is at generation %d: %w", spec.InstanceID, latest, ErrConflict)
		}
		spec.Generation = max(spec.Generation, 1)
		a, err = decide(ctx, q, latest, spec)
		return err
	})
	return a, err
}

// DeleteUnstartedLifecycleRequest removes a request whose workflow did not
// start. It does not lock the instance.
func DeleteUnstartedLifecycleRequest(ctx context.Context, db *sql.DB, requestID string) error {
	if _, err := lifecycledb.New(db).DeleteUnstartedLifecycleRequest(ctx, requestID); err != nil {
		return fmt.Errorf("delete request %s: %w", requestID, err)
	}
	return nil
}

func lockLatest(ctx context.Context, q *lifecycledb.Queries, instanceID string) (int64, error) {
	if err := q.LockLifecycleInstance(ctx, instanceID); err != nil {
		return 0, fmt.Errorf("lock instance %s: %w", instanceID, err)
	}
	latest, err := q.LatestLifecycleGeneration(ctx, instanceID)
	if err != nil {
		return 0, fmt.Errorf("latest generation of %s: %w", instanceID, err)
	}
	return latest, nil
}

// decide answers a spec on an instance whose lock is held.
func decide(ctx context.Context, q *lifecycledb.Queries, latest int64, spec Spec) (Answer, error) {
	if spec.Generation == 0 {
		spec.Generation = latest + 1
	}
	switch {
	case spec.Generation > latest+1:
		return Answer{}, fmt.Errorf("instance %s: generation %d: %w", spec.InstanceID, spec.Generation, ErrCeiling)
	case spec.Generation == latest+1:
		return recordNew(ctx, q, spec)
	default:
		return answerAddress(ctx, q, spec)
	}
}

func recordNew(ctx context.Context, q *lifecycledb.Queries, spec Spec) (Answer, error) {
	id, err := q.InsertLifecycleRequest(ctx, lifecycledb.InsertLifecycleRequestParams{
		InstanceID: spec.InstanceID,
		Generation: spec.Generation,
		Operation:  spec.Operation,
		Content:    spec.Content,
		PersonID:   spec.PersonID,
	})
	if err != nil {
		return Answer{}, fmt.Errorf("record request: %w", err)
	}
	return Answer{RequestID: id, Generation: spec.Generation, Created: true}, nil
}

// answerAddress answers a repeat: the same content gets the request that
// stands there, anything else a conflict.
func answerAddress(ctx context.Context, q *lifecycledb.Queries, spec Spec) (Answer, error) {
	held, err := q.GetLifecycleRequestAt(ctx, lifecycledb.GetLifecycleRequestAtParams{
		InstanceID: spec.InstanceID,
		Generation: spec.Generation,
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Answer{}, fmt.Errorf("generation %d of %s is gone: %w", spec.Generation, spec.InstanceID, ErrConflict)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("read request: %w", err)
	}
	if held.Operation != spec.Operation || held.Content != spec.Content {
		return Answer{}, fmt.Errorf("generation %d of %s differs: %w", spec.Generation, spec.InstanceID, ErrConflict)
	}
	return Answer{RequestID: held.RequestID, Generation: held.Generation}, nil
}

// inOwnTx runs fn in a transaction that it begins and ends, unless db is one.
func inOwnTx(ctx context.Context, db lifecycledb.DBTX, fn func(*lifecycledb.Queries) error) error {
	switch h := db.(type) {
	case *sql.DB:
		tx, err := h.BeginTx(ctx, nil)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		defer tx.Rollback()
		if err := fn(lifecycledb.New(tx)); err != nil {
			return err
		}
		return tx.Commit()
	case *sql.Tx:
		return fn(lifecycledb.New(h))
	default:
		return fmt.Errorf("lifecycle requests cannot be recorded on a %T", db)
	}
}
