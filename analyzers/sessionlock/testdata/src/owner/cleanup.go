package owner

import (
	"context"
	"database/sql"
	"errors"
)

// A Runner pins a connection and returns it beside what gives it back, which
// depends on how the runner is set up.
type Runner struct {
	db   *sql.DB
	cfg  RunnerConfig
	list []string
}

type RunnerConfig struct {
	enabled bool
	session Locker
	table   TableLocker
}

type RunnerOption func(*RunnerConfig) error

func WithSession(l Locker) RunnerOption {
	return func(c *RunnerConfig) error {
		c.enabled, c.session = true, l
		return nil
	}
}

func WithTable(l TableLocker) RunnerOption {
	return func(c *RunnerConfig) error {
		c.enabled, c.table = true, l
		return nil
	}
}

type TableLocker interface {
	Lock(ctx context.Context, db *sql.DB) error
	Unlock(ctx context.Context, db *sql.DB) error
}

type Locker interface {
	SessionLock(ctx context.Context, conn *sql.Conn) error
	SessionUnlock(ctx context.Context, conn *sql.Conn) error
}

type sessionLocker struct{ id int64 }

func NewSessionLocker() Locker { return &sessionLocker{id: 12} }

func NewRunner(db *sql.DB, list []string, opts ...RunnerOption) (*Runner, error) {
	r := &Runner{db: db, list: list}
	for _, opt := range opts {
		if err := opt(&r.cfg); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (l *sessionLocker) SessionLock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, l.id)
	return err
}

func (l *sessionLocker) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_advisory_unlock($1)`, l.id).Scan(&ok); err != nil {
		return err
	}
	if !ok {
		return ErrBusy
	}
	return nil
}

func (r *Runner) begin(ctx context.Context) (*sql.Conn, func() error, error) {
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	cleanup := func() error { return conn.Close() }
	if r.cfg.enabled {
		if l := r.cfg.session; l != nil {
			if err := l.SessionLock(ctx, conn); err != nil {
				return nil, nil, errors.Join(err, cleanup())
			}
			cleanup = func() error {
				return errors.Join(l.SessionUnlock(context.WithoutCancel(ctx), conn), conn.Close())
			}
		}
		if l := r.cfg.table; l != nil {
			if err := l.Lock(ctx, r.db); err != nil {
				return nil, nil, errors.Join(err, cleanup())
			}
			cleanup = func() error {
				return errors.Join(l.Unlock(context.WithoutCancel(ctx), r.db), conn.Close())
			}
		}
	}
	return conn, cleanup, nil
}

func (r *Runner) up(ctx context.Context) (_ int, retErr error) {
	conn, cleanup, err := r.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { retErr = errors.Join(retErr, cleanup()) }()
	if len(r.list) == 0 {
		return 0, nil
	}
	for i, s := range r.list {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return i, err
		}
	}
	return len(r.list), nil
}

func (r *Runner) Up(ctx context.Context) (int, error) { return r.up(ctx) }
