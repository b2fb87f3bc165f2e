package pool

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The transaction rides in the context: one made anew has none.
type carried struct{}

type runner interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

type Carrier struct{ Pool *pgxpool.Pool }

func (c *Carrier) from(ctx context.Context) runner {
	if tx, ok := ctx.Value(carried{}).(pgx.Tx); ok {
		return tx
	}
	return c.Pool
}

func (c *Carrier) within(ctx context.Context, fn func(ctx context.Context) error) error {
	return pgx.BeginFunc(ctx, c.Pool, func(tx pgx.Tx) error { return fn(context.WithValue(ctx, carried{}, tx)) })
}

func (c *Carrier) name(ctx context.Context, id int64) (n string, err error) {
	err = c.from(ctx).QueryRow(ctx, `SELECT name FROM pz_users WHERE id = $1`, id).Scan(&n) // want pool-in-tx "a statement runs on the pool while .* has a transaction of the same pool open"
	return n, err
}

func (c *Carrier) Audit(ctx context.Context, user int64) error {
	return c.within(ctx, func(ctx context.Context) error {
		n, err := c.name(context.Background(), user)
		if err != nil {
			return err
		}
		_, err = c.from(ctx).Exec(ctx, `INSERT INTO pz_audit (what) VALUES ($1)`, n)
		return err
	})
}

func (c *Carrier) AuditRight(ctx context.Context, user int64) error {
	return c.within(ctx, func(ctx context.Context) error {
		n, err := c.name(ctx, user)
		if err != nil {
			return err
		}
		_, err = c.from(ctx).Exec(ctx, `INSERT INTO pz_audit (what) VALUES ($1)`, n)
		return err
	})
}
