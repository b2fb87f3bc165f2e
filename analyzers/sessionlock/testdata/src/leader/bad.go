package shop

import (
	"context"
	"database/sql"
	"time"
)

type Locker struct {
	conn *sql.Conn
	held map[int64]bool
}

func (l *Locker) acquire(ctx context.Context, id int64) (bool, error) {
	if l.held[id] {
		return false, nil
	}
	var ok bool
	err := l.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(7, $1)`, int32(id)).Scan(&ok)
	l.held[id] = ok
	return ok, err
}

// Do runs what it is given; the lock may be gone before it returns.
func (l *Locker) Do(ctx context.Context, id int64, run func(context.Context) error) error {
	ok, err := l.acquire(ctx, id)
	if err != nil || !ok {
		return err
	}
	err = run(ctx) // want leader-no-liveness "^this function runs under session lock advisory 7, .1 and does not notice when its session ends"
	delete(l.held, id)
	var ok2 bool
	if e := l.conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(7, $1)`, int32(id)).Scan(&ok2); e != nil || !ok2 {
		return e
	}
	return err
}

// Lead works on other connections for as long as it likes.
func Lead(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
		conn.Close()
	}()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(702)`); err != nil {
		return err
	}
	tick := time.NewTicker(time.Minute)
	for { // want leader-no-liveness "^this loop runs under session lock advisory 702"
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if _, err := db.ExecContext(ctx, `UPDATE jobs SET state = 'new' WHERE id = 1`); err != nil {
			return err
		}
	}
}
