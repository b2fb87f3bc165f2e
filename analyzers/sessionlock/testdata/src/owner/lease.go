package owner

import (
	"context"
	"database/sql"
)

// A Lease owns the connection that its lock is on.
type Lease struct {
	conn *sql.Conn
	id   int32
}

// Try forgets the connection when the lock is taken by others.
func Try(ctx context.Context, db *sql.DB, id int32) (*Lease, bool, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, false, err
	}
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(21, $1)`, id).Scan(&ok); err != nil {
		conn.Close()
		return nil, false, err
	}
	if !ok {
		return nil, false, nil // want lock-conn-leak "the connection pinned for advisory 21, .1 is neither closed nor returned here"
	}
	return &Lease{conn: conn, id: id}, true, nil
}

// Wait forgets the connection and the lock when the check after it fails.
func Wait(ctx context.Context, db *sql.DB, id int32) (*Lease, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(22, $1)`, id); err != nil { // want session-lock-leak "session lock advisory 22, .1 is still held when its connection goes back to the pool"
		conn.Close()
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return &Lease{conn: conn, id: id}, nil
}

// Careful closes the connection on every way that does not return it.
func TryCarefully(ctx context.Context, db *sql.DB, id int32) (lease *Lease, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if lease == nil {
			conn.Close()
		}
	}()
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(23, $1)`, id).Scan(&ok); err != nil || !ok {
		return nil, err
	}
	return &Lease{conn: conn, id: id}, nil
}

// Work uses leases: what they hold ends with Free.
func Work(ctx context.Context, db *sql.DB, id int32) error {
	l, ok, err := Try(ctx, db, id)
	if err != nil || !ok {
		return err
	}
	return l.Free(context.WithoutCancel(ctx))
}

func (l *Lease) Free(ctx context.Context) error {
	var was bool
	err := l.conn.QueryRowContext(ctx, `SELECT pg_advisory_unlock(21, $1)`, l.id).Scan(&was)
	if err != nil || !was {
		return err
	}
	return l.conn.Close()
}

// Mistyped unlocks another key than the one it locked.
func Mistyped(ctx context.Context, db *sql.DB, name string) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(hashtextextended('job:' || $1, 0))`, name); err != nil { // want session-lock-leak "session lock advisory job: is still held"
		return err
	}
	var was bool
	return conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(hashtextextended('jobs:' || $1, 0))`, name).Scan(&was) // want unlock-result-ignored "is dropped"
}

// Run unlocks however the work has ended, under a context that may have ended
// the work.
func Run(ctx context.Context, conn *sql.Conn, work func(context.Context) error) error {
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(24)`); err != nil {
		return err
	}
	err := work(ctx)
	var was bool
	if e := conn.QueryRowContext(ctx, `SELECT pg_advisory_unlock(24)`).Scan(&was); e != nil { // want unlock-cancelable-ctx "advisory 24 is released under a context that may be cancelled by then" unlock-result-ignored "is dropped"
		return e
	}
	return err
}

// An again takes its lock in each turn, in a method, and gives it back once.
type again struct {
	conn *sql.Conn
	on   bool
}

func (a *again) try(ctx context.Context) {
	var ok bool
	if err := a.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(25)`).Scan(&ok); err == nil { // want reentrant-imbalance "session lock advisory 25 is taken again in each turn of a loop and released once"
		a.on = ok
	}
}

func (a *again) Loop(ctx context.Context, ticks <-chan int) error {
	for {
		a.try(ctx)
		select {
		case <-ctx.Done():
			var was bool
			return a.conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(25)`).Scan(&was) // want unlock-result-ignored "is dropped"
		case <-ticks:
		}
	}
}

// An elector leads while it has the lock, and leaves the rest to the pool.
type elector struct{ db *sql.DB }

func (e *elector) Lead(ctx context.Context, work func(context.Context)) {
	for ctx.Err() == nil {
		conn, err := e.db.Conn(ctx)
		switch err {
		case nil:
			if e.try(ctx, conn) {
				work(ctx) // want leader-no-liveness "does not notice when its session ends"
			}
		default: // there is no connection
			continue
		}
		if conn != nil {
			conn.Close()
		}
	}
}

func (e *elector) try(ctx context.Context, conn *sql.Conn) (ok bool) {
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(26)`).Scan(&ok); err != nil { // want session-lock-leak "session lock advisory 26 is still held when its connection goes back to the pool"
		return false
	}
	return ok
}

// LeadWell unlocks where it has the lock.
func (e *elector) LeadWell(ctx context.Context, work func(context.Context)) error {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if e.tryAgain(ctx, conn) {
		work(ctx) // want leader-no-liveness "does not notice when its session ends"
		var was bool
		if err := conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(27)`).Scan(&was); err != nil || !was {
			return err
		}
	}
	return nil
}

func (e *elector) tryAgain(ctx context.Context, conn *sql.Conn) (ok bool) {
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(27)`).Scan(&ok); err != nil {
		return false
	}
	return ok
}
