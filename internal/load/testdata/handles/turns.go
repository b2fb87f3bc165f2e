package handles

import (
	"context"
	"database/sql"
)

// A joining is what the steps of one transaction share.
type joining struct {
	ctx  context.Context
	tx   *sql.Tx
	id   int64
	name string
}

// handle: tx transaction
func (j *joining) device() error {
	return j.tx.QueryRowContext(j.ctx, "SELECT name FROM devices WHERE id = $1 FOR UPDATE", j.id).Scan(&j.name)
}

// handle: tx transaction
func (j *joining) queue() error {
	if j.name == "" {
		return nil
	}
	_, err := j.tx.ExecContext(j.ctx, "SELECT 1 FROM queues WHERE device = $1 FOR UPDATE", j.name)
	return err
}

// Join takes its steps, methods of one value, in the order of a list.
func Join(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	j := joining{ctx: ctx, tx: tx, id: id}
	for _, step := range []func() error{j.device, j.queue} {
		if err := step(); err != nil {
			return err
		}
	}
	return tx.Commit()
}
