package session

import (
	"context"
	"database/sql"
	"errors"
)

// A turn is a lock on a connection of its own, given by value; beside an
// error it is empty.
type turn struct {
	key  string
	conn *sql.Conn
}

func newTurn(ctx context.Context, db *sql.DB, key string) (turn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return turn{}, err
	}
	return turn{key: key, conn: conn}, nil
}

func (t *turn) take(ctx context.Context) (ok bool, err error) {
	err = t.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(hashtextextended($1, 0))`, t.key).Scan(&ok)
	return ok, err
}

func (t *turn) giveBack(ctx context.Context) error {
	var ok bool
	err := t.conn.QueryRowContext(ctx, `SELECT pg_advisory_unlock(hashtextextended($1, 0))`, t.key).Scan(&ok) // want unlock-cancelable-ctx "advisory turns:nightly is released under a context that may be cancelled"
	if err == nil && !ok {
		err = errors.New("the turn was lost")
	}
	return err
}

// The deferred function shares the variable, so that it may be either what
// is returned beside an error or the lock.
func InTurn(ctx context.Context, db *sql.DB, work func() error) error {
	t, err := newTurn(ctx, db, "turns:nightly")
	if err != nil {
		return err
	}
	defer t.conn.Close()
	ok, err := t.take(ctx)
	if err != nil || !ok {
		return err
	}
	defer func() {
		if err := t.giveBack(ctx); err != nil {
			t.conn.Raw(func(any) error { return err })
		}
	}()
	return work()
}
