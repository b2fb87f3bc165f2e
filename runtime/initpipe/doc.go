// Package initpipe runs the stages that a database needs before a service can
// work (tables, corrections, seeds, upserts), one run at a time whoever asks:
// an operator who clicks twice, or two replicas that start together.
//
// What enters are stages, each a function on a transaction or on a
// connection, and how to reach the server; what leaves is a report of each
// run, and the state that any replica can tell.
//
//   - A run begins by trying an advisory lock. Whoever comes meanwhile gets an
//     *InProgressError with holder, stage and time, and has written nothing.
//   - The stages run on the session that holds the lock, so that what they
//     write ends with it. With Config.OneTx the whole run is one transaction.
//   - A stage that has run at its version is passed over; one that fails is
//     rolled back and named, and the next run begins with it.
//   - Tables record runs and stages. The lock is the truth: a run that is
//     recorded as running and has no lock is marked abandoned by the next
//     owner, never by a clock.
//   - Handler serves all that over HTTP, with a page for the operator.
//
// The package makes no backups, knows no down migrations, and cannot undo what
// a stage did outside of the database or of its transaction. Folders of SQL
// files become stages in package sqldir.
package initpipe
