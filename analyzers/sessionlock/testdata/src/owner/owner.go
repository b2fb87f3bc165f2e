// Package owner loses connections that locks are on.
package owner

import (
	"context"
	"database/sql"
	"time"
)

// A Lock keeps its connection in a field.
type Lock struct {
	id   int64
	conn *sql.Conn
}

func New(ctx context.Context, db *sql.DB, id int64) (*Lock, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &Lock{id: id, conn: conn}, nil
}

func (l *Lock) Take(ctx context.Context) error {
	_, err := l.conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, l.id)
	return err
}

func (l *Lock) Drop(ctx context.Context) (ok bool, err error) {
	err = l.conn.QueryRowContext(ctx, `SELECT pg_advisory_unlock($1)`, l.id).Scan(&ok)
	return ok, err
}

func (l *Lock) Close() error {
	return l.conn.Close() // want session-lock-leak "goes back to its pool here without an unlock"
}

// A Careful lock unlocks before it gives the connection back.
type Careful struct {
	conn *sql.Conn
}

func (l *Careful) Take(ctx context.Context, id int64) error {
	_, err := l.conn.ExecContext(ctx, `SELECT pg_advisory_lock(7, 1)`)
	return err
}

func (l *Careful) Close(ctx context.Context) error {
	if _, err := l.conn.ExecContext(ctx, `SELECT pg_advisory_unlock_all()`); err != nil {
		return err
	}
	return l.conn.Close()
}

// A held lock is given back in two steps, which others take in turn.
type held struct{ conn *sql.Conn }

type steps interface {
	unlock(ctx context.Context) (bool, error)
	close() error
}

func (h *held) take(ctx context.Context) (ok bool, err error) {
	err = h.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(7, 3)`).Scan(&ok)
	return ok, err
}

func (h *held) unlock(ctx context.Context) (ok bool, err error) {
	err = h.conn.QueryRowContext(ctx, `SELECT pg_advisory_unlock(7, 3)`).Scan(&ok)
	return ok, err
}

func (h *held) close() error { return h.conn.Close() }

func giveBack(ctx context.Context, s steps) error {
	if ok, err := s.unlock(ctx); err != nil || !ok {
		return err
	}
	return s.close()
}

func UseHeld(ctx context.Context, conn *sql.Conn) error {
	h := &held{conn: conn}
	if ok, err := h.take(ctx); err != nil || !ok {
		return err
	}
	return giveBack(context.WithoutCancel(ctx), h)
}

// Watch leaves the connection to a goroutine, which unlocks and forgets it.
func Watch(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(7, 2)`); err != nil {
		conn.Close()
		return err
	}
	go func() { // want lock-conn-leak "is left to a goroutine that does not close it"
		<-ctx.Done()
		release(conn)
	}()
	return nil
}

// WatchWell closes it.
func WatchWell(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(7, 2)`); err != nil {
		conn.Close()
		return err
	}
	go func() {
		defer conn.Close()
		time.Sleep(time.Second)
		release(conn)
	}()
	return nil
}

func release(conn *sql.Conn) (ok bool, err error) {
	err = conn.QueryRowContext(context.Background(), `SELECT pg_advisory_unlock(7, 2)`).Scan(&ok)
	return ok, err
}

// Late defers its rollback only after a call that can fail.
func Late(ctx context.Context, db *sql.DB) error {
	tx, err := begin(db)
	if err != nil {
		return err
	}
	if err := guard(ctx, tx); err != nil {
		return err // want lock-conn-leak "the transaction begun for advisory .* is neither committed nor rolled back here"
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'late' WHERE id = 1`); err != nil {
		return err
	}
	return tx.Commit()
}

// Soon defers it at once.
func Soon(ctx context.Context, db *sql.DB) error {
	tx, err := begin(db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := guard(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Bounded begins under a context of its own: its end rolls back what a failure
// leaves open.
func Bounded(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := guard(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Other ends another context than that of its transaction.
func Other(ctx context.Context, db *sql.DB) error {
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := guard(short, tx); err != nil {
		return err // want lock-conn-leak "the transaction begun for advisory .* is neither committed nor rolled back here"
	}
	return tx.Commit()
}

func begin(db *sql.DB) (*sql.Tx, error) {
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	return tx, nil
}

func guard(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(8, 1)`)
	return err
}

// Locked hands its unlock to the caller; what it answers goes unseen.
func Locked(ctx context.Context, conn *sql.Conn) (func() error, error) {
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(9, 1)`); err != nil {
		return nil, err
	}
	return func() error {
		_, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock(9, 1)`) // want unlock-cancelable-ctx "may be cancelled" unlock-result-ignored "the result of unlocking"
		return err
	}, nil
}

// A ConnPool is a pool behind an interface: no transaction, no one connection.
type ConnPool interface {
	QueryRowContext(ctx context.Context, q string, args ...any) *sql.Row
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
	Close() error
}

// Lead takes its lock on whatever connection the pool gives it.
func Lead(ctx context.Context, pool ConnPool) (ok bool, err error) {
	err = pool.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(9, 2)`).Scan(&ok) // want session-lock-via-pool "is taken on a pool"
	return ok, err
}

// A Querier may be anything, also a transaction.
type Querier interface {
	QueryRowContext(ctx context.Context, q string, args ...any) *sql.Row
}

// Follow is not known to run on a pool.
func Follow(ctx context.Context, q Querier) (ok bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(9, 3)`).Scan(&ok)
	return ok, err
}

// Handed ends its transaction by method values that a helper calls.
func Handed(ctx context.Context, db *sql.DB) error {
	tx, commit, rollback, err := prepared(db)
	if err != nil {
		return err
	}
	defer rollback()
	if err := guard(ctx, tx); err != nil {
		return err
	}
	return commit()
}

func prepared(db *sql.DB) (*sql.Tx, func() error, func(), error) {
	tx, err := db.Begin()
	if err != nil {
		return nil, nil, nil, err
	}
	commit := func() error { return tx.Commit() }
	rollback := func() { end(tx.Rollback) }
	if _, err = tx.Exec(`SET LOCAL statement_timeout = 1000`); err != nil {
		rollback()
		return nil, nil, nil, err
	}
	return tx, commit, rollback, nil
}

func end(rollback func() error) {
	if err := rollback(); err != nil {
		println(err.Error())
	}
}
