// Package locktest helps to test programs that use package locks.
//
// For tests without a database, [Server] keeps locks in memory; the sessions on
// it are those of package locks, and so are the functions that lock in its
// transactions, so contention, waits, loss, release, order and contexts are
// the same. For tests with one, [Kill], [Cancel], [Free] and
// [Gate] do to a lock what production does to it, and look at the server.
//
// A lock or a configuration enters; a broken connection, or a failed test,
// leaves. The fake has no tables: each row that is to be locked is there, and
// what else a transaction runs is answered by whom Server.Answer names. Those
// who wait have no order among each other.
package locktest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// A DB asks a server; *pgx.Conn and *pgxpool.Pool do. Its role owns the
// sessions that are looked at, or may see them.
type DB interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// patience is how long a server may take for what it does at once.
const patience = 10 * time.Second

// Kill ends the server's process of a lock, as an operator or a crash does,
// and returns when the server has freed the lock.
func Kill(t testing.TB, db DB, s *locks.Session) {
	t.Helper()
	signal(t, db, `SELECT pg_terminate_backend($1::int8::int4)`, s.PID())
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if !bool1(t, db, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::int8)`, s.PID()) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("locktest: process %d of %v is still there", s.PID(), s.Key())
		}
	}
}

// Cancel cancels what the lock's session runs; it does nothing to an idle one.
func Cancel(t testing.TB, db DB, s *locks.Session) {
	t.Helper()
	signal(t, db, `SELECT pg_cancel_backend($1::int8::int4)`, s.PID())
}

func signal(t testing.TB, db DB, sql string, pid uint32) {
	t.Helper()
	if !bool1(t, db, sql, pid) {
		t.Fatalf("locktest: the server has no process %d that may be signalled", pid)
	}
}

func bool1(t testing.TB, db DB, sql string, args ...any) (b bool) {
	t.Helper()
	if err := db.QueryRow(context.Background(), sql, args...).Scan(&b); err != nil {
		t.Fatalf("locktest: %v", err)
	}
	return b
}

// Free fails the test when the server lists one of the keys as granted in
// db's database; without keys, when it lists any advisory lock there.
func Free(t testing.TB, db DB, keys ...locks.Key) {
	t.Helper()
	const sql = `SELECT count(*), coalesce(min(pid), 0)::int8 FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	look := func(what, sql string, args ...any) {
		t.Helper()
		var n, pid int64
		if err := db.QueryRow(context.Background(), sql, args...).Scan(&n, &pid); err != nil {
			t.Fatalf("locktest: %v", err)
		}
		if n > 0 {
			t.Fatalf("locktest: %s: held by process %d", what, pid)
		}
	}
	if len(keys) == 0 {
		look("advisory locks of the database", sql)
	}
	for _, k := range keys {
		subid := 1
		if k.Space() == locks.PairSpace {
			subid = 2
		}
		look(k.String(), sql+` AND (classid::int8 << 32 | objid::int8) = $1 AND objsubid = $2`, k.Int64(), subid)
	}
}
