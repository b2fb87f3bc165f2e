// Package driver is what the adapters of runtime/locks give it: one open
// transaction of a Go database library.
//
// Statements enter; rows and errors leave. The package holds no SQL and
// decides nothing. It is internal so that only adapters of this module can
// say what a transaction is: a pool must not pass for one.
package driver

import "context"

// Sealed keeps types of others from being a Tx by accident.
type Sealed struct{}

// A State is what can be said about a transaction without a round trip.
type State uint8

// The states of a transaction.
const (
	Open    State = iota
	NoTx          // nil, finished, or never begun
	Aborted       // an earlier statement failed
	Nested        // a savepoint of another transaction
)

// A Tx is an open transaction.
type Tx interface {
	Sealed(Sealed)

	// State is asked before any statement is sent.
	State() State
	// Holding returns the value that make returned for the session, and tells
	// it which transaction is running.
	Holding(make func() Holding) Holding
	// Bool runs a statement whose result is one boolean.
	Bool(ctx context.Context, sql string, args ...any) (bool, error)
	// Batch runs statements, in one round trip where the library can, and
	// stops at the first that fails: done is its index.
	Batch(ctx context.Context, list []Statement) (done int, err error)
	// Script runs statements without parameters, also in an aborted
	// transaction, where nothing can be prepared.
	Script(ctx context.Context, list ...string) error
	// Kill ends the session: what it holds is in doubt.
	Kill()
}

// A Holding is what runtime/locks keeps for a session.
type Holding interface {
	// Enter is told which transaction runs now; over reports whether an
	// earlier one has ended.
	Enter(tx any, over func(earlier any) bool)
}

// A Statement is one statement of a batch.
type Statement struct {
	SQL  string
	Args []any
	Each func(scan func(dest ...any) error) error // called for each row; nil: no rows are wanted
}
