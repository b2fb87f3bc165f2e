package shop

import (
	"context"
	"database/sql"
	"hash/crc32"
	"hash/fnv"
)

const (
	sweepKey = 5001
	indexKey = 5002
	mailKey  = 5001 // want key-collision "shop.sweepKey and shop.mailKey are the same advisory key, 5001"
)

func Sweep(ctx context.Context, tx *sql.Tx) error { return lock(ctx, tx, sweepKey) }
func Index(ctx context.Context, tx *sql.Tx) error { return lock(ctx, tx, indexKey) }
func Mail(ctx context.Context, tx *sql.Tx) error  { return lock(ctx, tx, mailKey) }

func lock(ctx context.Context, tx *sql.Tx, key int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, key)
	return err
}

type Account struct{ ID, Owner int64 }

func LockAccount(ctx context.Context, tx *sql.Tx, a Account) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, a.ID) // want unprefixed-key "the key of advisory shop.Account.ID is an id as it is"
	return err
}

func LockName(ctx context.Context, tx *sql.Tx, name string) error {
	key := int64(crc32.ChecksumIEEE([]byte(name)))
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, key) // want weak-key-hash "crc32 leaves 32 bits for the key" unprefixed-key "hashes a value without a prefix"
	return err
}

func LockOwner(ctx context.Context, tx *sql.Tx, a Account) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(9, $1)`, a.Owner) // want key-overflow "an int64 is given to a lock of two int4"
	return err
}

// LockPlaces hashes each name, the long ones shortened, whichever way is taken.
func LockPlaces(ctx context.Context, tx *sql.Tx, names []string) error {
	byName := map[string]bool{}
	for _, n := range names {
		byName[n] = true
	}
	for n := range byName { // taken in the order of a map
		if len(n) > 8 {
			n = n[:4] + n[len(n)-4:]
		}
		h := fnv.New64a()
		h.Write([]byte(n))
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(h.Sum64())); err != nil { // want unprefixed-key "hashes a value without a prefix"
			return err
		}
	}
	return nil
}

func LockNamed(ctx context.Context, tx *sql.Tx, kind, name string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1, $2)`, number(kind), number(name)) // want weak-key-hash "fnv32a leaves 32 bits for the key"
	return err
}

func number(s string) int32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return int32(h.Sum32())
}
