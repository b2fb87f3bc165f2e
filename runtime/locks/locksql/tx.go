package locksql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
)

// TryLock is locks.Locker.TryLock in a transaction of database/sql.
func TryLock(ctx context.Context, l *locks.Locker, tx *sql.Tx, k locks.Key, opts ...locks.Option) (bool, error) {
	return l.TryLockOn(ctx, sqlTx{tx}, k, joined(opts))
}

// Lock is locks.Locker.Lock in a transaction of database/sql.
func Lock(ctx context.Context, l *locks.Locker, tx *sql.Tx, k locks.Key, wait time.Duration, opts ...locks.Option) (bool, error) {
	return l.LockOn(ctx, sqlTx{tx}, k, wait, joined(opts))
}

// LockAll is locks.Locker.LockAll in a transaction of database/sql.
func LockAll(ctx context.Context, l *locks.Locker, tx *sql.Tx, keys []locks.Key, wait time.Duration, opts ...locks.Option) (bool, error) {
	return l.LockAllOn(ctx, sqlTx{tx}, keys, wait, joined(opts))
}

// LockRows is locks.LockRows in a transaction of database/sql.
func LockRows[T locks.ID](ctx context.Context, l *locks.Locker, tx *sql.Tx, rows locks.Rows[T], ids []T, mode locks.Mode, wait time.Duration, opts ...locks.Option) (found []T, ok bool, err error) {
	return locks.LockRowsOn(ctx, l, sqlTx{tx}, rows, ids, mode, wait, joined(opts))
}

func joined(opts []locks.Option) (o locks.Option) {
	for _, p := range opts {
		o |= p
	}
	return o
}

// A Beginner begins transactions: a *sql.DB or a *sql.Conn.
type Beginner interface {
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
}

// InTx runs f in a transaction: commit when it returns nil, rollback when it
// fails or panics. The transaction does not end when ctx does: database/sql
// would roll it back, and free its locks, under the running f. f gets ctx and
// is to return when it is cancelled.
func InTx(ctx context.Context, l *locks.Locker, db Beginner, f func(context.Context, *sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	return within(ctx, l, tx, f)
}

// within runs f in tx and ends it.
func within(ctx context.Context, l *locks.Locker, tx *sql.Tx, f func(context.Context, *sql.Tx) error) error {
	defer tx.Rollback() // nothing to do after a commit
	inner, ended := l.Within(ctx, sqlTx{tx})
	defer ended()
	if err := f(inner, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// sqlTx is a transaction of database/sql as the locks see it.
type sqlTx struct{ tx *sql.Tx }

func (t sqlTx) Sealed(driver.Sealed) {}

// State sees a nil transaction only: database/sql tells that one has ended
// when a statement is asked for, and sends nothing then.
func (t sqlTx) State() driver.State {
	if t.tx == nil {
		return driver.NoTx
	}
	return driver.Open
}

// holdings maps transactions to what they hold. database/sql gives nothing
// that stands for the session; a transaction is one to us.
var holdings sync.Map // weak.Pointer[sql.Tx] → driver.Holding

func (t sqlTx) Holding(make func() driver.Holding) driver.Holding {
	key := weak.Make(t.tx)
	if h, ok := holdings.Load(key); ok {
		return h.(driver.Holding)
	}
	h, loaded := holdings.LoadOrStore(key, make())
	if !loaded {
		runtime.AddCleanup(t.tx, func(key weak.Pointer[sql.Tx]) { holdings.Delete(key) }, key)
	}
	return h.(driver.Holding)
}

func (t sqlTx) Bool(ctx context.Context, text string, args ...any) (bool, error) {
	var b bool
	err := t.tx.QueryRowContext(ctx, text, args...).Scan(&b)
	return b, own(err)
}

func (t sqlTx) Batch(ctx context.Context, list []driver.Statement) (int, error) {
	for i, s := range list {
		if err := t.run(ctx, s); err != nil {
			return i, own(err)
		}
	}
	return len(list), nil
}

func (t sqlTx) run(ctx context.Context, s driver.Statement) error {
	if s.Each == nil {
		_, err := t.tx.ExecContext(ctx, s.SQL, s.Args...)
		return err
	}
	rows, err := t.tx.QueryContext(ctx, s.SQL, s.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := s.Each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (t sqlTx) Script(ctx context.Context, list ...string) error {
	for _, s := range list {
		if _, err := t.tx.ExecContext(ctx, s); err != nil {
			return own(err)
		}
	}
	return nil
}

// Kill ends the transaction; database/sql gives no way to its connection. A
// rollback that fails makes the pool discard it.
func (t sqlTx) Kill() { t.tx.Rollback() }

// own makes the end of a transaction the same error for all drivers.
func own(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("%w: %w", locks.ErrNoTx, err)
	}
	return err
}

// VerifyFence is locks.Fence.Verify in a transaction of database/sql.
func VerifyFence(ctx context.Context, f locks.Fence, tx *sql.Tx) error {
	return f.VerifyOn(ctx, sqlTx{tx})
}
