package shop

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"hash/fnv"
)

func LockPrefixed(ctx context.Context, tx *sql.Tx, a Account) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('account:' || $1, 0))`, a.ID)
	return err
}

func LockShard(ctx context.Context, tx *sql.Tx, shard int32) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(12, $1)`, shard)
	return err
}

// The caller makes the key; what it is made of is out of sight.
func LockKey(ctx context.Context, tx *sql.Tx, key int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, key)
	return err
}

// LockEither has a prefix on each way.
func LockEither(ctx context.Context, tx *sql.Tx, user, team string) error {
	name := "user:" + user
	if team != "" {
		name = "team:" + team
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(h.Sum64()))
	return err
}

// The whole key is the hash of one constant name.
func hashOfName(ctx context.Context, tx *sql.Tx) error {
	sum := sha256.Sum256([]byte("stocktaking"))
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(sum[:8])))
	return err
}
