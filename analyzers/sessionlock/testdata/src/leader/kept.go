package shop

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"
)

// A Chair is a leader that never looks at its session again.
type Chair struct {
	db   *sql.DB
	lead atomic.Bool
	own  *sql.Conn
}

func (c *Chair) Stand(ctx context.Context) error {
	conn, err := c.db.Conn(ctx)
	if err != nil {
		return err
	}
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(31)`).Scan(&ok); err != nil || !ok { // want leader-no-liveness "session lock advisory 31 stays on the connection kept in own, and nothing notices when its session ends"
		conn.Close()
		return err
	}
	c.own = conn
	c.lead.Store(true)
	return nil
}

func (c *Chair) Preside(ctx context.Context, tick func(context.Context) error) error {
	for c.lead.Load() {
		if err := tick(ctx); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}

// A Keeper is one that does.
type Keeper struct {
	db   *sql.DB
	kept *sql.Conn
}

func (k *Keeper) Stand(ctx context.Context) error {
	conn, err := k.db.Conn(ctx)
	if err != nil {
		return err
	}
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(32)`).Scan(&ok); err != nil || !ok {
		conn.Close()
		return err
	}
	k.kept = conn
	return nil
}

func (k *Keeper) Watch(ctx context.Context) error {
	for {
		if err := k.kept.PingContext(ctx); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}
