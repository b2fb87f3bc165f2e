package locks

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// What callers can ask of an error with errors.Is.
var (
	ErrFamily     = errors.New("family refused")                   // registering
	ErrInvalidKey = errors.New("invalid key")                      // a key without family, an empty id
	ErrHash       = errors.New("the server hashes otherwise")      // VerifyHash
	ErrNoTx       = errors.New("no open transaction")              // nil or finished
	ErrTxAborted  = errors.New("the transaction is aborted")       // an earlier statement failed
	ErrNestedTx   = errors.New("the transaction is a savepoint")   // see AllowSavepoint
	ErrWait       = errors.New("wait out of bounds")               // not positive, or over Config.MaxWait
	ErrDeadlock   = errors.New("deadlock detected")                // 40P01
	ErrExhausted  = errors.New("the server is out of lock memory") // 53200
	ErrOrder      = errors.New("lock order violated")              // an *OrderError
)

// SQLSTATEs (PostgreSQL 16 manual, appendix A).
const (
	codeAborted      = "25P02" // in_failed_sql_transaction
	codeDeadlock     = "40P01" // deadlock_detected
	codeLockTimeout  = "55P03" // lock_not_available
	codeOutOfMemory  = "53200" // out_of_memory: lock table full
	codeCanceled     = "57014" // query_canceled
	codeNoSavepoint  = "3B001" // invalid_savepoint_specification
	codeReadOnly     = "25006" // read_only_sql_transaction
	codeUndefinedObj = "42704" // undefined_object
)

func sqlState(err error) string {
	var server interface{ SQLState() string } // *pgconn.PgError and *pq.Error
	if errors.As(err, &server) {
		return server.SQLState()
	}
	return ""
}

// explain puts the package's own error in front of the driver's.
func explain(err error) error {
	var own error
	var hint string
	switch code := sqlState(err); {
	case code == codeDeadlock:
		own, hint = ErrDeadlock, "roll the transaction back and run it again"
	case code == codeOutOfMemory:
		own, hint = ErrExhausted, "the server holds more locks than max_locks_per_transaction * max_connections allows"
	case code == codeAborted:
		own, hint = ErrTxAborted, "an earlier statement failed; roll back and begin anew"
	case errors.Is(err, pgx.ErrTxClosed):
		own, hint = ErrNoTx, "it is committed or rolled back"
	default:
		return err
	}
	return fmt.Errorf("%w (%s): %w", own, hint, err)
}

// outcome sorts the end of an attempt into the values of the metrics.
func outcome(granted bool, wait bool, err error) Outcome {
	switch {
	case err == nil && granted:
		return Acquired
	case err == nil && wait:
		return TimedOut
	case err == nil:
		return Contended
	case errors.Is(err, ErrDeadlock):
		return Deadlocked
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), sqlState(err) == codeCanceled:
		return Cancelled
	}
	return Failed
}
