package shop

import (
	"context"
	"database/sql"
)

// LockTenant is given an id; who calls it is out of sight.
func LockTenant(ctx context.Context, tx *sql.Tx, tenantID int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, tenantID) // want unprefixed-key "is an id as it is"
	return err
}

// LockNumber is given the key of a lock.
func LockNumber(ctx context.Context, tx *sql.Tx, lockID int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, lockID)
	return err
}

// Added joins two ids in a way that others can join to the same number.
func Added(ctx context.Context, tx *sql.Tx, tenant, order int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, tenant*100000+order) // want key-collision "are sums of which one part is multiplied by 100000"
	return err
}

// AddedThere does so in SQL.
func AddedThere(ctx context.Context, tx *sql.Tx, tenant, order int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1::bigint + $2::bigint)`, tenant, order) // want key-collision "are sums of two values"
	return err
}

// Bounded adds less than it multiplies by.
func Bounded(ctx context.Context, tx *sql.Tx, tenant, order int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, tenant*1000+(order&511))
	return err
}

// Shifted gives each its half.
func Shifted(ctx context.Context, tx *sql.Tx, tenant, order int32) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(tenant)<<32+int64(uint32(order)))
	return err
}

// Pair and Packed have one namespace and never meet.
func Pair(ctx context.Context, tx *sql.Tx, feed int32) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(812, $1)`, feed) // want key-space-mix "an id of namespace 812 is locked by two int4 here and by a bigint in Packed"
	return err
}

func Packed(ctx context.Context, tx *sql.Tx, feed int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock((812::bigint << 32) | $1)`, feed)
	return err
}
