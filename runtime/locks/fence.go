package locks

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// FenceDDL returns the statement that makes a fence table, for a migration.
// The name may have a schema before it.
func FenceDDL(table string) string {
	return fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s (
    space smallint NOT NULL,
    key bigint NOT NULL,
    family text NOT NULL,
    token bigint NOT NULL,
    epoch text NOT NULL,
    owner text NOT NULL,
    acquired_at timestamptz NOT NULL,
    PRIMARY KEY (space, key)
)`, quoteTable(table))
}

// An epoch tells one history of a server from another: the cluster and its
// timeline, which each promotion of a standby raises (PostgreSQL 16 manual,
// 26.3.5). The timeline is the first part of the name of the WAL file that is
// being written. It also is the upper part of a token, so that tokens grow
// across a failover that lost the last of them.
const (
	serverTimeline = `('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint`
	serverEpoch    = `(SELECT system_identifier FROM pg_control_system()) || '/' || ` + serverTimeline

	// A token that a crash could lose would be drawn twice.
	durable = `(SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'local', true) ELSE '' END)`

	advanceFence = `INSERT INTO %s AS f (space, key, family, token, epoch, owner, acquired_at)
	SELECT $1, $2, $3, (` + serverTimeline + ` << 40) + 1, ` + serverEpoch + `, $4, clock_timestamp() WHERE ` + durable + ` IS NOT NULL
	ON CONFLICT (space, key) DO UPDATE SET family = excluded.family, token = greatest(f.token + 1, excluded.token),
		epoch = excluded.epoch, owner = excluded.owner, acquired_at = excluded.acquired_at
	RETURNING token, epoch`

	// FOR SHARE makes the next owner's update wait for this transaction;
	// FOR KEY SHARE would not.
	verifyFence = `SELECT 1 FROM %s WHERE space = $1 AND key = $2 AND token = $3 AND epoch = $4 AND epoch = ` + serverEpoch + ` FOR SHARE`
)

// A Fence is the token of one lock. It outlives the lock, and says in each
// transaction that writes whether another owner has come since.
type Fence struct {
	locker *Locker // tells its observer of refused writes
	key    Key
	table  string
	token  int64
	epoch  string
}

// Key returns the lock's key.
func (f Fence) Key() Key { return f.key }

// Token returns a number that is higher than that of each owner of the key
// before, for resources that compare it themselves; 0 for the zero Fence. It
// grows across the promotion of a standby.
func (f Fence) Token() int64 { return f.token }

// Epoch names the server and timeline that drew the token.
func (f Fence) Epoch() string { return f.epoch }

// Verify is called in the transaction that writes, before it writes. It
// returns nil when no other owner has come: then none can until the
// transaction ends. Otherwise the error wraps ErrFenced, and the transaction
// is to be rolled back. A transaction on another server, or on the same one
// after a failover, is refused too, and a nested one with ErrNestedTx: a
// rollback to its savepoint would let the next owner in.
func (f Fence) Verify(ctx context.Context, tx pgx.Tx) error { return f.VerifyOn(ctx, adapted(tx)) }
