// Package locksql takes the locks of package locks for programs on
// database/sql, with pgx's stdlib driver or lib/pq.
//
// A Locker of package locks and a *sql.Tx or *sql.DB enter; what leaves is as
// there. The transaction functions have the guarantees of their namesakes.
// What database/sql hides cannot be checked before a statement: an aborted
// transaction is told by the server (ErrTxAborted all the same), and a
// savepoint made with SQL is not seen. Each statement is a round trip of its
// own, since database/sql has no batches.
//
// Session locks pin one *sql.Conn. A connection whose unlock was not
// confirmed is discarded, never given back to the pool: (*sql.Conn).Close
// alone would give it back with its lock. Work on that connection goes through
// [InTxOf] and [Use]: the methods BeginTx and Use of the session are pgx's.
//
// A transaction begun with a context that is cancelled is rolled back by
// database/sql at once, and its locks go while its goroutine still runs;
// begin it with a context that outlives the work, as InTx does.
package locksql
