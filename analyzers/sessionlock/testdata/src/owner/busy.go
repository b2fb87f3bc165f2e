package owner

import (
	"context"
	"database/sql"
	"errors"
)

// A Ticket is a lock on a connection of its own.
type Ticket struct{ conn *sql.Conn }

var ErrBusy = errors.New("busy")

// Enter makes an error of a lock that is not granted: where the connection
// goes back, none is held.
func Enter(ctx context.Context, db *sql.DB) (*Ticket, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var ok bool
	err = conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(11, 1)`).Scan(&ok)
	if err == nil && !ok {
		err = ErrBusy
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Ticket{conn}, nil
}

func (t *Ticket) Leave(ctx context.Context) (ok bool, err error) {
	defer t.conn.Close()
	err = t.conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(11, 1)`).Scan(&ok)
	return ok, err
}

// attempt forgets the connection where the lock is not granted, which is no error.
func attempt(ctx context.Context, db *sql.DB) (*sql.Conn, bool, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, false, err
	}
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(11, 2)`).Scan(&ok); err != nil {
		conn.Close()
		return nil, false, err
	}
	if !ok {
		return nil, false, nil // want lock-conn-leak "the connection pinned for advisory 11, 2 is neither closed nor returned here"
	}
	return conn, true, nil
}

func Attempt(ctx context.Context, db *sql.DB, work func() error) error {
	conn, ok, err := attempt(ctx, db)
	if err != nil || !ok {
		return err
	}
	defer conn.Close()
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(11, 2)`) // want unlock-result-ignored "."
	return work()                                                                          // want leader-no-liveness "."
}
