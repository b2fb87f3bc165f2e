package shop

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

var errLost = errors.New("lock lost")

// Watch pings the session beside the work.
func Watch(ctx context.Context, db *sql.DB, run func(context.Context) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
		conn.Close()
	}()
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(703)`).Scan(&ok); err != nil || !ok {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if conn.PingContext(ctx) != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	return run(ctx)
}

// Beat looks after the session in each turn.
func Beat(ctx context.Context, db *sql.DB, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(704)`); err != nil {
		return err
	}
	for {
		if err := conn.PingContext(ctx); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, `UPDATE jobs SET state = 'new' WHERE id = 1`); err != nil {
			break
		}
	}
	_, err := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
	return err
}

// Own works on the session itself: it fails with it.
func Own(ctx context.Context, conn *sql.Conn, run func(*sql.Conn) error) error {
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(705)`); err != nil {
		return err
	}
	for {
		if _, err := conn.ExecContext(ctx, `UPDATE jobs SET state = 'new' WHERE id = 1`); err != nil {
			break
		}
	}
	err := run(conn)
	if _, e := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`); e != nil {
		return e
	}
	return err
}

type Kept struct{ conn *sql.Conn }

// Run is watched by Guard, which somebody else starts.
func (k *Kept) Run(ctx context.Context, run func() error) error {
	var ok bool
	if err := k.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(706)`).Scan(&ok); err != nil || !ok {
		return err
	}
	err := run()
	if _, e := k.conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`); e != nil {
		return e
	}
	return err
}

func (k *Kept) Guard(ctx context.Context, lost func()) {
	if k.conn.PingContext(ctx) != nil {
		lost()
	}
}

// Retry holds nothing while it goes round.
func Retry(ctx context.Context, conn *sql.Conn) error {
	for {
		var ok bool
		if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(707)`).Scan(&ok); err != nil {
			return err
		}
		if ok {
			break
		}
	}
	_, err := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
	return err
}

// Until tries until it has the lock: it takes it once.
func Until(ctx context.Context, conn *sql.Conn) error {
	var ok bool
	for !ok {
		if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(708)`).Scan(&ok); err != nil {
			return err
		}
	}
	var was bool
	if err := conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(708)`).Scan(&was); err != nil || !was {
		return errLost
	}
	return nil
}

type rower interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// tryLock reports whether it got the lock.
func tryLock(ctx context.Context, conn rower, key int64) (bool, error) {
	var ok bool
	err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, key).Scan(&ok)
	if err != nil {
		return false, fmt.Errorf("asking for lock %v: %w", key, err)
	}
	return ok, nil
}

// A helper's answer is the answer of the lock; what it is given runs under it.
func helped(ctx context.Context, db *sql.DB, key int64, work func() error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	got, err := tryLock(ctx, conn, key)
	if err != nil {
		conn.Close()
		return err
	}
	if !got {
		conn.Close()
		return nil
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		var released bool
		if err := conn.QueryRowContext(ctx, `SELECT pg_advisory_unlock($1)`, key).Scan(&released); err != nil || !released {
			conn.Raw(func(any) error { return driver.ErrBadConn })
			return
		}
		conn.Close()
	}()
	return work() // want leader-no-liveness "this function runs under session lock"
}
