// Package domains is the registry of every name the console hands out. No two
// owners may hold names of which one lies below the other.
package domains

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/domains/namesdb"
)

// registryAllocationLock is the advisory key of the whole registry, the bytes
// of "domains". A transaction that needs the registry and a usage counter
// takes this lock before the counter's row.
const registryAllocationLock int64 = 0x646f6d61696e73

var (
	// ErrTaken is returned for a name that overlaps another owner's.
	ErrTaken = errors.New("name is taken")
	// ErrNotOwned is returned for a name that the owner does not hold.
	ErrNotOwned = errors.New("name is not held by this owner")
)

// Owner is who holds a name.
type Owner struct {
	Kind string
	ID   string
}

// Registry allocates names.
type Registry struct{ db *sql.DB }

// NewRegistry returns the registry on db.
func NewRegistry(db *sql.DB) *Registry { return &Registry{db: db} }

// Tx is a transaction that holds the registry.
type Tx struct {
	tx *sql.Tx
	q  *namesdb.Queries
}

// SQL returns the transaction, for rows that must change with the registry.
func (t *Tx) SQL() *sql.Tx { return t.tx }

// WithLock runs fn in a transaction that holds the whole registry, and commits
// it when fn succeeds.
func (r *Registry) WithLock(ctx context.Context, fn func(*Tx) error) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, registryAllocationLock); err != nil {
		return fmt.Errorf("registry: lock: %w", err)
	}
	if err := fn(&Tx{tx: tx, q: namesdb.New(tx)}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	return nil
}

// Reserve allocates a name that is not served yet.
func (t *Tx) Reserve(ctx context.Context, name string, owner Owner) error {
	return t.insert(ctx, name, owner, "reserved")
}

// Adopt allocates a name that is served already.
func (t *Tx) Adopt(ctx context.Context, name string, owner Owner) error {
	return t.insert(ctx, name, owner, "placed")
}

func (t *Tx) insert(ctx context.Context, name string, owner Owner, state string) error {
	overlapping, err := t.q.CountOverlappingNames(ctx, namesdb.CountOverlappingNamesParams{Name: name, OwnerID: owner.ID})
	if err != nil {
		return fmt.Errorf("registry: %s: %w", name, err)
	}
	if overlapping > 0 {
		return fmt.Errorf("registry: %s: %w", name, ErrTaken)
	}
	err = t.q.InsertName(ctx, namesdb.InsertNameParams{Name: name, OwnerKind: owner.Kind, OwnerID: owner.ID, State: state})
	if err != nil {
		return fmt.Errorf("registry: %s: %w", name, err)
	}
	return nil
}

// Place marks a reserved name as served.
func (t *Tx) Place(ctx context.Context, name string, owner Owner) error {
	n, err := t.q.SetNameState(ctx, namesdb.SetNameStateParams{Name: name, OwnerID: owner.ID, State: "placed"})
	return owned(name, n, err)
}

// Release gives a name back.
func (t *Tx) Release(ctx context.Context, name string, owner Owner) error {
	n, err := t.q.DeleteName(ctx, namesdb.DeleteNameParams{Name: name, OwnerID: owner.ID})
	return owned(name, n, err)
}

func owned(name string, rows int64, err error) error {
	if err != nil {
		return fmt.Errorf("registry: %s: %w", name, err)
	}
	if rows == 0 {
		return fmt.Errorf("registry: %s: %w", name, ErrNotOwned)
	}
	return nil
}

// Held is a name in the registry.
type Held struct {
	Name  string
	Owner Owner
	State string
}

// OfKind lists the names that one kind of owner holds.
func (r *Registry) OfKind(ctx context.Context, kind string) ([]Held, error) {
	rows, err := namesdb.New(r.db).ListNamesOfKind(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("registry: names of %s: %w", kind, err)
	}
	held := make([]Held, 0, len(rows))
	for _, n := range rows {
		held = append(held, Held{Name: n.Name, Owner: Owner{Kind: kind, ID: n.OwnerID}, State: n.State})
	}
	return held, nil
}
