// Package pglog reads deadlock reports out of logs: of PostgreSQL as text with
// any prefix and in any language, as csvlog or jsonlog, and of programs that
// only say that there was one.
//
// A log enters; reports leave: who waits for what, blocked by whom, with the
// statements. Waits that ended, timeouts and refused locks are no deadlocks.
// The package knows no program.
package pglog
