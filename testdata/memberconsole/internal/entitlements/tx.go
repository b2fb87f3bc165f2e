package entitlements

import (
	"context"
	"database/sql"
	"fmt"

	"example.test/memberconsole/internal/core"
)

const (
	boundLockWaits      = `SET LOCAL lock_timeout = '5s'`
	rendezvousShared    = `SELECT pg_advisory_xact_lock_shared(hashtextextended('entitlement_materialization', 0))`
	rendezvousExclusive = `SELECT pg_advisory_xact_lock(hashtextextended('entitlement_materialization', 0))`
)

// Held is a transaction that holds the rendezvous in either mode, so pools may
// be materialized in it.
type Held interface {
	Queries() *core.Queries
	Tx() *sql.Tx
	holdsRendezvous()
}

// kind is what the two kinds of transaction have in common.
type kind struct {
	tx *sql.Tx
	q  *core.Queries
}

// Queries returns the core queries bound to the transaction.
func (k *kind) Queries() *core.Queries { return k.q }

// Tx returns the transaction itself, for the queries of other schemas.
func (k *kind) Tx() *sql.Tx { return k.tx }

// Commit commits the transaction.
func (k *kind) Commit() error { return k.tx.Commit() }

// Rollback rolls the transaction back; after Commit it does nothing.
func (k *kind) Rollback() { _ = k.tx.Rollback() }

func (k *kind) holdsRendezvous() {}

// Materializing is a transaction that materializes pools next to others of its
// kind and apart from every rule change.
type Materializing struct{ kind }

// RuleChange is a transaction that changes rules or tiers while nobody
// materializes.
type RuleChange struct{ kind }

// BeginMaterializing begins a Materializing transaction.
func BeginMaterializing(ctx context.Context, db *sql.DB) (*Materializing, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, fmt.Errorf("begin materializing: %w", err)
	}
	if err := meet(ctx, tx, rendezvousShared); err != nil {
		_ = tx.Rollback()
		return nil, fmt.Errorf("begin materializing: %w", err)
	}
	return &Materializing{kind{tx: tx, q: core.New(tx)}}, nil
}

// BeginRuleChange begins a RuleChange transaction.
func BeginRuleChange(ctx context.Context, db *sql.DB) (*RuleChange, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, fmt.Errorf("begin rule change: %w", err)
	}
	if err := meet(ctx, tx, rendezvousExclusive); err != nil {
		_ = tx.Rollback()
		return nil, fmt.Errorf("begin rule change: %w", err)
	}
	return &RuleChange{kind{tx: tx, q: core.New(tx)}}, nil
}

func meet(ctx context.Context, tx *sql.Tx, rendezvous string) error {
	if _, err := tx.ExecContext(ctx, boundLockWaits); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, rendezvous)
	return err
}
