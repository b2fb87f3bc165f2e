// Package pin says what a session lock needs of the connection it lives on.
//
// An advisory key enters; whether the server granted it, and whether the
// connection still stands, leaves. Drivers implement [Source] and [Conn]:
// pgx in package locks, database/sql beside it, a fake server for unit tests.
// The package holds no state and decides nothing: when to try, to unlock and
// to give a connection up is for package locks.
package pin

import (
	"context"
	"errors"
	"time"
)

// Errors of a driver that package locks tells apart. A driver wraps them.
var (
	ErrReadOnly = errors.New("the server is in recovery")
	ErrMoved    = errors.New("the connection changed its backend")
	ErrNoConn   = errors.New("no connection is free")
)

// Key is an advisory key as pg_locks shows it: one number of 64 bits, or a
// pair whose first number is the upper half.
type Key struct {
	Num  int64
	Pair bool
}

// Subid is the key's objsubid in pg_locks: 1 for one number, 2 for a pair.
func (k Key) Subid() int16 {
	if k.Pair {
		return 2
	}
	return 1
}

// Parts returns the key's classid and objid in pg_locks.
func (k Key) Parts() (classid, objid uint32) {
	return uint32(uint64(k.Num) >> 32), uint32(uint64(k.Num))
}

// A Ticket is what a fence table holds for one key.
type Ticket struct {
	Token int64
	Epoch string
}

// A Source gives connections that hold no lock.
type Source interface {
	// Conn waits for a connection until ctx ends. The error is ErrNoConn
	// when all are out.
	Conn(ctx context.Context) (Conn, error)
	// Close ends the connections that are not out.
	Close()
}

// A Conn is one connection, used by one goroutine at a time. After any error
// of a method its state is in doubt, and Destroy is what is left to do.
type Conn interface {
	// PID is the server's process for this connection.
	PID() uint32
	// Try asks for k once and does not wait for it.
	Try(ctx context.Context, k Key) (bool, error)
	// Unlock gives k back, then all that the session still holds, and reports
	// whether k was held.
	Unlock(ctx context.Context, k Key) (bool, error)
	// Holds reports whether the server lists k as granted to this session.
	Holds(ctx context.Context, k Key) (bool, error)
	// Advance draws the next token of k from a fence table.
	Advance(ctx context.Context, table string, k Key, family, owner string) (Ticket, error)
	// Watch reads until the connection ends, which is its error, or ctx does:
	// then it returns nil, and the connection can be used on.
	Watch(ctx context.Context) error
	// Ping makes one round trip.
	Ping(ctx context.Context) error
	// Closed reports whether the driver has given the connection up.
	Closed() bool
	// Put hands a connection that holds nothing back to its source.
	Put()
	// Destroy ends the connection and waits until the server's side of it has
	// ended too, at most limit; it reports whether it saw that. With busy the
	// connection may be in use by another goroutine, which then gets an error.
	Destroy(limit time.Duration, k Key, busy bool) bool
}
