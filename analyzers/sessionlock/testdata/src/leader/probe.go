package shop

import (
	"context"
	"database/sql"
)

// A Probe asks a server with two connections, and closes both.
type Probe struct {
	conns [2]*sql.Conn
}

func (p *Probe) close() {
	for _, c := range p.conns {
		if c != nil {
			c.Close()
		}
	}
}

func (p *Probe) granted(ctx context.Context) (ok bool, err error) {
	err = p.conns[0].QueryRowContext(ctx, `SELECT pg_try_advisory_lock(708)`).Scan(&ok) // want session-lock-leak "session lock advisory 708 is still held when its connection goes back to the pool"
	if err != nil || !ok {
		return false, err
	}
	return true, nil
}

func examine(ctx context.Context, db *sql.DB) error {
	p := Probe{}
	defer p.close()
	for i := range p.conns {
		c, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		p.conns[i] = c
	}
	if ok, err := p.granted(ctx); err != nil || !ok {
		return err
	}
	return nil
}

// Probed works when the lock of the probe is gone with its connection.
func Probed(ctx context.Context, db *sql.DB, work func(context.Context) error) error {
	if err := examine(ctx, db); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(709)`); err != nil {
		return err
	}
	for {
		if err := work(ctx); err != nil {
			return err
		}
	}
}
