package shop

import (
	"context"
	"database/sql"
)

// Prepared keeps its statements.
type Prepared struct{ lock *sql.Stmt }

func NewPrepared(ctx context.Context, db *sql.DB) (*Prepared, error) {
	lock, err := db.PrepareContext(ctx, `SELECT state FROM jobs WHERE id = $1 FOR UPDATE`)
	if err != nil {
		return nil, err
	}
	return &Prepared{lock: lock}, nil
}

// State is where the lock is taken, whoever calls it.
func (p *Prepared) State(ctx context.Context, id int) (state string, err error) {
	err = p.lock.QueryRowContext(ctx, id).Scan(&state) // want row-lock-outside-tx "is locked on a pool"
	return state, err
}

func (p *Prepared) Both(ctx context.Context, a, b int) error {
	if _, err := p.State(ctx, a); err != nil {
		return err
	}
	_, err := p.State(ctx, b)
	return err
}
