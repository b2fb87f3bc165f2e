package shop

import (
	"context"
	"database/sql"
)

// An Engine runs modules, each under the row of its own.
type Engine struct {
	db     *sql.DB
	module string
}

// Run has the module's row before it writes others: one engine at a time.
func (e *Engine) Run(ctx context.Context, jobs map[int64]string) error {
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM modules WHERE name = $1 FOR UPDATE NOWAIT`, e.module); err != nil {
		return err
	}
	for id, state := range jobs {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = $2 WHERE id = $1`, id, state); err != nil { // want unordered-lock-loop "under row \"modules\", which is one lock for all runs of this program"
			return err
		}
	}
	return tx.Commit()
}

// Close has the one row of that name.
func Close(ctx context.Context, db *sql.DB, jobs map[int64]string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM modules WHERE name = 'close' FOR UPDATE`); err != nil {
		return err
	}
	for id := range jobs {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'closed' WHERE id = $1`, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Only has a row of the caller's: two callers with two rows can meet.
func Only(ctx context.Context, db *sql.DB, module string, jobs map[int64]string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM modules WHERE name = $1 FOR UPDATE`, module); err != nil {
		return err
	}
	for id := range jobs {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'closed' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "whose order is random \\(another transaction"
			return err
		}
	}
	return tx.Commit()
}

// An Ingester leads by a session lock on the name of its network, and writes
// in transactions of their own.
type Ingester struct {
	db      *sql.DB
	network string
}

func (i *Ingester) Run(ctx context.Context, jobs map[int64]string) error {
	conn, err := i.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var leads bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(hashtextextended('ingest:' || $1, 0))`, i.network).Scan(&leads); err != nil || !leads {
		return err
	}
	defer conn.ExecContext(context.Background(), `SELECT pg_advisory_unlock(hashtextextended('ingest:' || $1, 0))`, i.network)
	return i.write(ctx, jobs)
}

func (i *Ingester) write(ctx context.Context, jobs map[int64]string) error {
	tx, err := i.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for id := range jobs {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'seen' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "under advisory ingest:"
			return err
		}
	}
	return tx.Commit()
}

// An Order is a row: the lock on it is another one for each.
type Order struct{ Module string }

func (o *Order) Close(ctx context.Context, db *sql.DB, jobs map[int64]string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM modules WHERE name = $1 FOR UPDATE`, o.Module); err != nil {
		return err
	}
	for id := range jobs {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'closed' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "whose order is random \\(another transaction"
			return err
		}
	}
	return tx.Commit()
}
