// Package locks takes PostgreSQL locks so that the wrong lock does not
// compile or fails loudly.
//
// What enters are keys and a pgx transaction or a pool; what leaves is
// whether the lock was granted. Contention is a value, not an error: an error
// says that the lock was not taken and why.
//
//   - Keys come from families, which are registered once: two families with
//     one name, or that could make one key, fail at start (Registry).
//   - Transaction scope: Locker.TryLock, Lock, LockAll and LockRows want a
//     pgx.Tx. A pool does not compile; a transaction that is nil, finished,
//     aborted or a savepoint is refused before any statement is sent.
//   - Session scope: Sessions, from Locker.OpenSessions, owns the connections
//     its locks live on. A lock is tried and never waited for in the server, a
//     connection in doubt is destroyed and its end awaited, and a loss is told
//     through a context. A Fence refuses the write of an old owner.
//   - Order: with a declared Order a Locker observes, refuses or panics when
//     a lock is wanted against it, before it waits (OrderMode).
//   - Holders says who has a key.
//   - Observer sees attempts, grants and losses; SlogObserver logs them.
//
// Sub-packages: locksql for database/sql, locktest for the tests of programs
// that use these locks, locksotel and locksprom for metrics (modules of their
// own).
//
// The package runs no migrations, keeps no leases in tables besides the
// fence, and takes no lock that the caller did not name. It knows nothing of
// savepoints that were made with bare SQL.
package locks
