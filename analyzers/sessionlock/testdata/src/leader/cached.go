package shop

import (
	"context"
	"database/sql"
)

// An Elector remembers that it leads.
type Elector struct {
	db   *sql.DB
	conn *sql.Conn
	lead bool
}

func (e *Elector) Tick(ctx context.Context) error {
	if e.lead {
		return nil
	}
	if e.conn == nil {
		conn, err := e.db.Conn(ctx)
		if err != nil {
			return err
		}
		e.conn = conn
	}
	return e.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(705)`).Scan(&e.lead) // want leader-no-liveness "session lock advisory 705 is taken once and lead remembers it"
}

// A Watcher asks the session before it believes what it remembers.
type Watcher struct {
	db   *sql.DB
	conn *sql.Conn
	lead bool
}

func (e *Watcher) Tick(ctx context.Context) error {
	if e.lead && e.conn.PingContext(ctx) == nil {
		return nil
	}
	e.lead = false
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return err
	}
	e.conn = conn
	return e.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(706)`).Scan(&e.lead)
}

// A Worker works on the session that it leads by, and fails with it.
type Worker struct {
	conn *sql.Conn
	lead bool
}

func (e *Worker) Tick(ctx context.Context) error {
	if !e.lead {
		if err := e.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(707)`).Scan(&e.lead); err != nil {
			return err
		}
	}
	_, err := e.conn.ExecContext(ctx, `UPDATE jobs SET state = 'new' WHERE id = 1`)
	return err
}
