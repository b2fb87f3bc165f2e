package handles

import (
	"context"
	"database/sql"
)

// traced runs f; what f runs is traced, too.
func traced[T any](ctx context.Context, name string, f func(context.Context) (T, error)) (T, error) {
	var none T
	v, err := f(ctx)
	if err != nil {
		return none, err
	}
	return v, nil
}

// A Vault is a store of its own, and one in a transaction that it began.
type Vault struct {
	db   db
	name string
}

type db interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// inTx is a transaction that can begin no other.
type inTx struct{ *sql.Tx }

func (inTx) BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error) {
	return nil, sql.ErrTxDone
}

func (v *Vault) BeginTx(ctx context.Context) (*Vault, *sql.Tx, error) {
	tx, err := traced(ctx, "begin", func(ctx context.Context) (*sql.Tx, error) { return v.db.BeginTx(ctx, nil) })
	if err != nil {
		return nil, nil, err
	}
	in := *v
	in.db = inTx{tx}
	return &in, tx, nil
}

// handle: tx transaction
func (v *Vault) put(ctx context.Context) error {
	_, err := v.db.ExecContext(ctx, "SELECT 1 FROM vaults WHERE id = 1 FOR UPDATE")
	return err
}

// An Adapter is a Vault behind what controllers ask for.
type Adapter struct{ *Vault }

func (a *Adapter) begin(ctx context.Context) (*Adapter, *sql.Tx, error) {
	v, tx, err := a.Vault.BeginTx(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &Adapter{Vault: v}, tx, nil
}

type controller interface {
	Put(ctx context.Context) (int, error)
}

type plainController struct{ store *Adapter }

func (c *plainController) Put(ctx context.Context) (int, error) {
	store, tx, err := c.store.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if err := store.put(ctx); err != nil {
		return 0, err
	}
	return 1, tx.Commit()
}

type tracedController struct{ under controller }

func (c *tracedController) Put(ctx context.Context) (int, error) {
	return traced(ctx, "put", func(ctx context.Context) (int, error) { return c.under.Put(ctx) })
}

// Vaults puts something into a vault, through controllers that trace.
func Vaults(ctx context.Context, pool *sql.DB) error {
	var c controller = &plainController{store: &Adapter{Vault: &Vault{db: pool, name: "v"}}}
	c = &tracedController{under: c}
	_, err := traced(ctx, "all", func(ctx context.Context) (int, error) { return c.Put(ctx) })
	return err
}
