package locks

import (
	"errors"
	"fmt"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// What callers can ask of an error of session locks and fences.
var (
	ErrPooled    = errors.New("a pooler changes the session between statements") // a *PoolerError
	ErrReadOnly  = pin.ErrReadOnly                                               // a standby grants what the primary has granted to another
	ErrNoConn    = pin.ErrNoConn                                                 // all connections of the pool hold locks
	ErrReentrant = errors.New("the lock is held by the caller already")
	ErrLost      = errors.New("the lock is lost") // the server has freed it, or may have
	ErrReleased  = errors.New("the lock has been released")
	ErrFenced    = errors.New("another owner has come")
)

// A ReleaseError says that an unlock was not confirmed. The connection was
// destroyed, so that nobody inherits the lock.
type ReleaseError struct {
	Key   Key
	Ended bool // the server's side was seen to end: the lock is free
	Err   error
}

func (e *ReleaseError) Error() string {
	tail := "the connection was destroyed"
	if !e.Ended {
		tail += ", the server may hold the lock until it notices"
	}
	return fmt.Sprintf("locks: releasing %v: %v (%s)", e.Key, e.Err, tail)
}

func (e *ReleaseError) Unwrap() error { return e.Err }
