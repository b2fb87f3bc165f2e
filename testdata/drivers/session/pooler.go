package session

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
)

// What a connection string tells of a pooler: a place and what the client
// does for it are sure together, each alone is a guess.
const (
	bouncer = "postgres://app:secret@pgbouncer.internal:6432/app?default_query_exec_mode=simple_protocol"
	byPort  = "host=db port=6432 user=app dbname=app"
	direct  = "postgres://pooler@db:5432/odyssey?sslmode=require"
)

type Bounced struct{ db *sqlx.DB }

func NewBounced() (*Bounced, error) {
	db, err := sqlx.Open("pgx", bouncer)
	return &Bounced{db}, err
}

func hold(ctx context.Context, c *sql.Conn, fn func() error) error {
	if _, err := c.ExecContext(ctx, "SELECT pg_advisory_lock(5101)"); err != nil { // want session-lock-txn-pooler "through a pooler in transaction mode, as the connection string tells \\(host pgbouncer, port 6432, default_query_exec_mode=simple_protocol\\)"
		return err
	}
	defer c.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(5101)")
	return fn()
}

func (b *Bounced) Exclusive(ctx context.Context, fn func() error) error {
	c, err := b.db.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return hold(ctx, c, fn)
}

type Configured struct{ pool *pgxpool.Pool }

func NewConfigured(ctx context.Context) (*Configured, error) {
	cfg, err := pgxpool.ParseConfig(byPort)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	return &Configured{pool}, err
}

func (g *Configured) Exclusive(ctx context.Context, fn func(*pgxpool.Conn) error) error {
	return g.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if _, err := c.Exec(ctx, "SELECT pg_advisory_lock(5102)"); err != nil { // want session-lock-txn-pooler "through a pooler, as the connection string tells \\(port 6432\\): in transaction mode"
			return err
		}
		defer c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(5102)")
		return fn(c)
	})
}

func dialled(ctx context.Context, dsn string, fn func(*pgx.Conn) error) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	return fn(c)
}

func DialBouncer(ctx context.Context) error {
	c, err := pgx.Connect(ctx, bouncer)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	var ok bool
	if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock(5103)").Scan(&ok); err != nil || !ok { // want session-lock-txn-pooler "in transaction mode"
		return err
	}
	_, err = c.Exec(ctx, "UPDATE jobs SET state = 'x' WHERE id = 1")
	return err
}

// DialDirect goes to the server itself: a user and a database may have any
// name.
func DialDirect(ctx context.Context) error {
	return dialled(ctx, direct, func(c *pgx.Conn) error {
		var ok bool
		if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock(5104)").Scan(&ok); err != nil || !ok {
			return err
		}
		_, err := c.Exec(ctx, "UPDATE jobs SET state = 'y' WHERE id = 1")
		return err
	})
}
