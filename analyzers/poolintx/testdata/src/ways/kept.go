package ways

import (
	"context"
	"database/sql"
	"sync"
)

// A keptLock is a lock with the transaction that holds it.
type keptLock struct {
	tx *sql.Tx
	id int64
}

// KeptLocks keeps its locks until their owners give them back.
type KeptLocks struct {
	db    *sql.DB
	mu    sync.RWMutex
	locks map[string]*keptLock
}

func NewKeptLocks(db *sql.DB) *KeptLocks {
	return &KeptLocks{db: db, locks: map[string]*keptLock{}}
}

func newKeptLock(ctx context.Context, db *sql.DB, id int64) (*keptLock, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &keptLock{tx: tx, id: id}, nil
}

func (k *KeptLocks) Lock(ctx context.Context, id int64, owner string) error {
	l, err := newKeptLock(ctx, k.db, id)
	if err != nil {
		return err
	}
	if _, err := l.tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(31, $1)`, int32(l.id)); err != nil {
		l.tx.Rollback()
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.locks[owner] = l
	return nil
}

func (k *KeptLocks) Unlock(owner string) {
	k.mu.RLock()
	l, ok := k.locks[owner]
	k.mu.RUnlock()
	if !ok {
		return
	}
	l.tx.Commit()
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.locks, owner)
}

// Under works while the lock is kept.
func Under(ctx context.Context, k *KeptLocks, id int64) error {
	if err := k.Lock(ctx, id, "me"); err != nil {
		return err
	}
	defer k.Unlock("me")
	_, err := k.db.ExecContext(ctx, `UPDATE accounts SET cents = cents + 1 WHERE id = $1`, id) // want pool-in-tx "^a statement runs on the pool while newKeptLock has a transaction of the same pool open"
	return err
}

// Afterwards works when it has been given back.
func Afterwards(ctx context.Context, k *KeptLocks, id int64) error {
	if err := k.Lock(ctx, id, "me"); err != nil {
		return err
	}
	k.Unlock("me")
	_, err := k.db.ExecContext(ctx, `UPDATE accounts SET cents = cents + 1 WHERE id = $1`, id)
	return err
}
