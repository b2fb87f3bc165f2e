package locks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
)

// An Option changes one call.
type Option uint8

// The options of calls.
const (
	InShareMode    Option = 1 << iota // others may hold the key in share mode too
	AllowSavepoint                    // take the lock in a nested transaction: a rollback to its savepoint gives it up
)

func (o Option) mode() Mode {
	if o&InShareMode != 0 {
		return Share
	}
	return Exclusive
}

func joined(opts []Option) (o Option) {
	for _, p := range opts {
		o |= p
	}
	return o
}

// TryLock takes the key until the transaction ends, and reports false when
// another session holds it. It never waits.
//
// A transaction that is nil, finished or aborted is refused with ErrNoTx or
// ErrTxAborted before anything is sent, a nested one with ErrNestedTx unless
// AllowSavepoint is given: a rollback to its savepoint would give the lock up
// while the caller goes on.
func (l *Locker) TryLock(ctx context.Context, tx pgx.Tx, k Key, opts ...Option) (bool, error) {
	return l.TryLockOn(ctx, adapted(tx), k, joined(opts))
}

// Lock takes the key until the transaction ends, waiting for it at most as
// long as asked, and reports false when the wait ran out. lock_timeout is as
// it was afterwards, and the transaction goes on whatever the result.
//
// The wait must be positive and within Config.MaxWait. While it lasts, the
// caller's connection is busy: for keys that many callers want, TryLock and a
// retry by the caller's client spare the pool.
func (l *Locker) Lock(ctx context.Context, tx pgx.Tx, k Key, wait time.Duration, opts ...Option) (bool, error) {
	return l.LockOn(ctx, adapted(tx), k, wait, joined(opts))
}

// LockAll takes all keys or none until the transaction ends, waiting at most
// as long as asked for all of them together. It takes them in one order
// whatever that of the argument is: by the declared order of their families,
// else by name, and by number within a family.
func (l *Locker) LockAll(ctx context.Context, tx pgx.Tx, keys []Key, wait time.Duration, opts ...Option) (bool, error) {
	return l.LockAllOn(ctx, adapted(tx), keys, wait, joined(opts))
}

// TryLockOn is TryLock for the adapters of this module.
func (l *Locker) TryLockOn(ctx context.Context, tx driver.Tx, k Key, o Option) (bool, error) {
	own, err := l.enter(tx, o, k)
	if err != nil {
		return false, failed("TryLock", k, err)
	}
	at := Attempt{Key: k, Count: 1, Scope: TxScope, Mode: o.mode()}
	ctx, start := l.begin(ctx, at)
	var granted bool
	if sql := tryXact(k.Space(), at.Mode); k.Space() == PairSpace {
		ns, n := k.Pair()
		granted, err = tx.Bool(ctx, sql, ns, n)
	} else {
		granted, err = tx.Bool(ctx, sql, k.n)
	}
	if err != nil {
		err = explain(err)
	}
	if granted && own != nil {
		own.add(grant{k, at.Mode, TxScope, callers()})
	}
	l.end(ctx, at, start, granted, err)
	return granted && err == nil, failed("TryLock", k, err)
}

// LockOn is Lock for the adapters of this module.
func (l *Locker) LockOn(ctx context.Context, tx driver.Tx, k Key, wait time.Duration, o Option) (bool, error) {
	ok, err := l.waitFor(ctx, tx, []Key{k}, wait, o)
	return ok, failed("Lock", k, err)
}

// LockAllOn is LockAll for the adapters of this module.
func (l *Locker) LockAllOn(ctx context.Context, tx driver.Tx, keys []Key, wait time.Duration, o Option) (bool, error) {
	if len(keys) == 0 {
		return true, nil
	}
	keys = distinct(keys)
	l.cfg.Order.arrange(keys)
	ok, err := l.waitFor(ctx, tx, keys, wait, o)
	return ok, failed(fmt.Sprintf("LockAll of %d keys from", len(keys)), keys[0], err)
}

// enter refuses keys and transactions that cannot be locked, before any
// statement. The holding is nil when no order is tracked.
func (l *Locker) enter(tx driver.Tx, o Option, keys ...Key) (*holding, error) {
	for _, k := range keys {
		if err := k.Err(); err != nil {
			return nil, err
		}
	}
	switch tx.State() {
	case driver.NoTx:
		return nil, fmt.Errorf("%w: it is nil, committed or rolled back; begin one and take the lock first in it", ErrNoTx)
	case driver.Aborted:
		return nil, fmt.Errorf("%w: an earlier statement failed; roll back and begin anew", ErrTxAborted)
	case driver.Nested:
		if o&AllowSavepoint == 0 {
			return nil, fmt.Errorf("%w: a rollback to it gives the lock up; lock in the outer transaction, or pass AllowSavepoint", ErrNestedTx)
		}
	}
	if l.track == nil {
		return nil, nil
	}
	return tx.Holding(newHolding).(*holding), nil
}

// waitFor takes keys in the order given, all or none.
func (l *Locker) waitFor(ctx context.Context, tx driver.Tx, keys []Key, wait time.Duration, o Option) (bool, error) {
	if err := l.bounded(wait); err != nil {
		return false, err
	}
	own, err := l.enter(tx, o, keys...)
	if err != nil {
		return false, err
	}
	at := Attempt{Key: keys[0], Count: len(keys), Scope: TxScope, Mode: o.mode(), Wait: wait}
	if own != nil {
		if err := l.ordered(ctx, own, keys, at.Mode); err != nil {
			return false, err
		}
	}
	ctx, start := l.begin(ctx, at)
	ok, err := lockInTurn(ctx, tx, keys, at)
	if ok && own != nil {
		stack := callers()
		for _, k := range keys {
			own.add(grant{k, at.Mode, TxScope, stack})
		}
	}
	l.end(ctx, at, start, ok, err)
	return ok, err
}

// ordered asks the tracker about each key, with those before it held.
func (l *Locker) ordered(ctx context.Context, own *holding, keys []Key, m Mode) error {
	for i, k := range keys {
		var before []grant
		if i > 0 {
			stack := callers()
			for _, b := range keys[:i] {
				before = append(before, grant{b, m, TxScope, stack})
			}
		}
		if err := l.track.want(ctx, own, k, m, before...); err != nil {
			return err
		}
	}
	return nil
}

// The statements of a bounded wait. The savepoint makes that a wait which
// ended in an error holds nothing, even when the grant raced with it; the old
// lock_timeout is kept in a setting of our own, since RELEASE would leave the
// new one in force (PostgreSQL 16 manual, SET and SAVEPOINT).
const (
	sqlSave    = "savepoint pglockdep"
	sqlRelease = "release savepoint pglockdep"
	sqlBack    = "rollback to savepoint pglockdep"
	sqlBound   = "select set_config('lock_timeout', $1 || left(set_config('pglockdep.lock_timeout', current_setting('lock_timeout'), true), 0), true)"
	sqlRebound = "select set_config('lock_timeout', $1, true)"
	sqlUnbound = "select set_config('lock_timeout', current_setting('pglockdep.lock_timeout'), true)"
)

// lockInTurn takes the first key in one round trip with the bound around it,
// and each further one in one more.
func lockInTurn(ctx context.Context, tx driver.Tx, keys []Key, at Attempt) (bool, error) {
	deadline := time.Now().Add(at.Wait)
	sql := lockXact(keys[0].Space(), at.Mode)
	list := []driver.Statement{{SQL: sqlSave}, {SQL: sqlBound, Args: []any{millis(at.Wait)}}, {SQL: sql, Args: keys[0].args()}}
	for i := range keys {
		if i > 0 {
			left := time.Until(deadline)
			if left <= 0 {
				return false, back(ctx, tx, nil)
			}
			list = []driver.Statement{{SQL: sqlRebound, Args: []any{millis(left)}}, {SQL: lockXact(keys[i].Space(), at.Mode), Args: keys[i].args()}}
		}
		if i == len(keys)-1 {
			list = append(list, driver.Statement{SQL: sqlUnbound}, driver.Statement{SQL: sqlRelease})
		}
		if done, err := tx.Batch(ctx, list); err != nil {
			if i == 0 && done == 0 {
				return false, explain(err) // there is no savepoint
			}
			return false, back(ctx, tx, err)
		}
	}
	return true, nil
}

// back returns to the savepoint and gives up what was taken since, after err
// or, when it is nil, a wait that ran out. A session that cannot go back is
// ended: nobody can tell what it holds.
func back(ctx context.Context, tx driver.Tx, err error) error {
	if tx.State() == driver.NoTx {
		return explain(err) // the session is closed; its locks go with it
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killWait)
	defer cancel()
	if e := tx.Script(ctx, sqlBack, sqlRelease); e != nil {
		tx.Kill()
		return fmt.Errorf("the session is in doubt and was closed: %w", errors.Join(err, e))
	}
	if sqlState(err) == codeLockTimeout {
		return nil
	}
	return explain(err)
}

// millis is a wait as lock_timeout wants it, rounded up: 0 would be no bound.
func millis(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Millisecond-1)/time.Millisecond), 10)
}

func (k Key) args() []any {
	if k.Space() == PairSpace {
		ns, n := k.Pair()
		return []any{ns, n}
	}
	return []any{k.n}
}

func tryXact(s Space, m Mode) string {
	switch {
	case s == PairSpace && m == Share:
		return "select pg_try_advisory_xact_lock_shared($1::int4, $2::int4)"
	case s == PairSpace:
		return "select pg_try_advisory_xact_lock($1::int4, $2::int4)"
	case m == Share:
		return "select pg_try_advisory_xact_lock_shared($1::int8)"
	}
	return "select pg_try_advisory_xact_lock($1::int8)"
}

func lockXact(s Space, m Mode) string {
	switch {
	case s == PairSpace && m == Share:
		return "select pg_advisory_xact_lock_shared($1::int4, $2::int4)"
	case s == PairSpace:
		return "select pg_advisory_xact_lock($1::int4, $2::int4)"
	case m == Share:
		return "select pg_advisory_xact_lock_shared($1::int8)"
	}
	return "select pg_advisory_xact_lock($1::int8)"
}

// arrange sorts keys for taking them all: families by the declared order,
// then by name; numbers within a family.
func (o *Order) arrange(keys []Key) {
	rank := map[*family]int{}
	for _, k := range keys {
		if name := o.placed(k.fam); name != "" {
			rank[k.fam] = o.rank(name)
		}
	}
	slices.SortStableFunc(keys, func(a, b Key) int {
		if a.fam == b.fam {
			return compareKeys(a, b)
		}
		return cmp.Or(rank[a.fam]-rank[b.fam], strings.Compare(a.fam.name, b.fam.name), compareKeys(a, b))
	})
}

// rank is one more than how many names come before name: what comes before
// another has a lower rank.
func (o *Order) rank(name string) int {
	n := 1
	for i := range o.names {
		if o.less[i][o.index[name]] {
			n++
		}
	}
	return n
}

// A Beginner begins transactions: a pool or a connection.
type Beginner interface {
	Begin(context.Context) (pgx.Tx, error)
}

// InTx runs f in a transaction: commit when it returns nil, rollback when it
// fails or panics. The context that f gets tells the locks taken in it to
// whatever else is locked under that context, so that an order across two
// connections is seen.
func (l *Locker) InTx(ctx context.Context, db Beginner, f func(context.Context, pgx.Tx) error) (err error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killWait)
		defer cancel()
		tx.Rollback(ctx) // nothing to do after a commit
	}()
	inner, ended := l.Within(ctx, adapted(tx))
	defer ended()
	if err := f(inner, tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
