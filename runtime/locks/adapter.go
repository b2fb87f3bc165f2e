package locks

import (
	"context"
	"errors"
	"fmt"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
)

// What follows is for the adapters of this module to other libraries.

// A Setting is a server parameter and its value.
type Setting struct{ Name, Value string }

// Settings returns the server parameters that connections of session locks
// run under, so that the server does not keep the lock of a client that is
// gone for longer than ServerTimeout.
func (c SessionConfig) Settings() ([]Setting, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	var out []Setting
	for _, s := range settings(c) {
		out = append(out, Setting{s.name, s.value})
	}
	return out, nil
}

// AdvanceSQL returns the statement that draws the next token of a fence
// table. Its parameters are the key's objsubid, number, family and owner.
func AdvanceSQL(table string) string { return fmt.Sprintf(advanceFence, quoteTable(table)) }

// Within returns a context that tells what the transaction holds to whatever
// else is locked under it, and what to call when the transaction has ended.
func (l *Locker) Within(ctx context.Context, tx driver.Tx) (inner context.Context, ended func()) {
	if l.track == nil {
		return ctx, func() {}
	}
	h := tx.Holding(newHolding).(*holding)
	return withHolding(ctx, h), h.clear
}

func newHolding() driver.Holding { return &holding{} }

// ProbeNamespace holds the keys that tell whether a connection keeps its
// session.
const ProbeNamespace = int32(probeNamespace)

// VerifyOn is Fence.Verify in a transaction of another library.
func (f Fence) VerifyOn(ctx context.Context, tx driver.Tx) error {
	found, err := f.last(ctx, tx)
	switch {
	case err != nil && sqlState(err) == codeSerialization:
		err = fmt.Errorf("%w: %v: the next owner came after this transaction's snapshot: %w", ErrFenced, f.key, err)
	case err != nil:
		return fmt.Errorf("locks: verifying the fence of %v: %w", f.key, err)
	case found:
		return nil
	default:
		err = fmt.Errorf("%w: %v: token %d of %s is not the last", ErrFenced, f.key, f.token, f.epoch)
	}
	f.locker.event(ctx, Event{Kind: Fenced, Key: f.key, Scope: SessionScope, Mode: Exclusive, Err: err})
	return err
}

// last asks whether the table still has the token. It does not in a
// savepoint, whose end would let the next owner in.
func (f Fence) last(ctx context.Context, tx driver.Tx) (found bool, err error) {
	if f.token == 0 {
		return false, errors.New("the lock has no token; name a FenceTable in SessionConfig")
	}
	if err := map[driver.State]error{driver.NoTx: ErrNoTx, driver.Aborted: ErrTxAborted, driver.Nested: ErrNestedTx}[tx.State()]; err != nil {
		return false, err
	}
	k := pinKey(f.key)
	_, err = tx.Batch(ctx, []driver.Statement{{SQL: fmt.Sprintf(verifyFence, quoteTable(f.table)), Args: []any{k.Subid(), k.Num, f.token, f.epoch},
		Each: func(func(...any) error) error { found = true; return nil }}})
	return found, err
}

const codeSerialization = "40001" // serialization_failure
