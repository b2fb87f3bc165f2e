package ways

import (
	"context"
	"database/sql"
)

// A Ledger and a Reader hold pools that nobody in sight has given them.
type Ledger struct {
	pool   *sql.DB
	reader *Reader
	locker *Locker
}

type Reader struct{ pool *sql.DB }

type Locker struct{ lockPool *sql.DB }

func (r *Reader) Cents(ctx context.Context, id int64) (n int64, err error) {
	err = r.pool.QueryRowContext(ctx, `SELECT cents FROM accounts WHERE id = $1`, id).Scan(&n) // want pool-in-tx "^a statement runs on the pool while Move has a transaction open"
	return n, err
}

func (l *Locker) Note(ctx context.Context, id int64) error {
	_, err := l.lockPool.ExecContext(ctx, `INSERT INTO jobs (id, queue, state) VALUES ($1, 'a', 'new')`, id)
	return err
}

func (l *Ledger) Move(ctx context.Context, id int64) error {
	tx, err := l.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := l.reader.Cents(ctx, id); err != nil {
		return err
	}
	if err := l.locker.Note(ctx, id); err != nil { // its name says that it is a pool of its own
		return err
	}
	return tx.Commit()
}
