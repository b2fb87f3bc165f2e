package shop

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"
)

var errLost = errors.New("the lock was lost")

// One connection carries lock, work and unlock; when the unlock fails, the
// session ends.
func Whole(ctx context.Context, db *sql.DB, work func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(201)`); err != nil {
		dropSession(conn)
		return err
	}
	defer func() {
		uctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		var ok bool
		if err := conn.QueryRowContext(uctx, `SELECT pg_advisory_unlock(201)`).Scan(&ok); err != nil || !ok {
			dropSession(conn)
		}
	}()
	work()
	return nil
}

func dropSession(c *sql.Conn) { _ = c.Raw(func(any) error { return driver.ErrBadConn }) }

// A Lock owns its connection from New to Release.
type Lock struct{ conn *sql.Conn }

func New(ctx context.Context, db *sql.DB) (*Lock, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(202)`); err != nil {
		conn.Close()
		return nil, err
	}
	return &Lock{conn: conn}, nil
}

func (l *Lock) Release() error {
	defer l.conn.Close()
	var ok bool
	if err := l.conn.QueryRowContext(context.Background(), `SELECT pg_advisory_unlock(202)`).Scan(&ok); err != nil {
		return err
	}
	if !ok {
		return errLost
	}
	return nil
}

// The caller gets the function that releases.
func Acquire(ctx context.Context, db *sql.DB) (func(), error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(203)`); err != nil {
		dropSession(conn)
		return nil, err
	}
	return func() { dropSession(conn) }, nil
}

// A loop that tries until it has the lock takes it once.
func Wait(ctx context.Context, conn *sql.Conn, work func()) error {
	for {
		var ok bool
		if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(204)`).Scan(&ok); err != nil {
			return err
		}
		if ok {
			break
		}
		time.Sleep(time.Second)
	}
	work() // want leader-no-liveness "session lock advisory 204"
	var was bool
	if err := conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(204)`).Scan(&was); err != nil {
		return err
	}
	if !was {
		return errLost
	}
	return nil
}
