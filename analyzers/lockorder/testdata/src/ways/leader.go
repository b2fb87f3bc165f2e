package ways

import (
	"context"
	"database/sql"
)

// A Leader works under a session lock on the name of its network.
type Leader struct {
	db      *sql.DB
	network string
}

// Run works on two tables in both orders, but one leader at a time.
func (l *Leader) Run(ctx context.Context, a, b int64) error {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var leads, given bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(hashtextextended('leader:' || $1, 0))`, l.network).Scan(&leads); err != nil || !leads {
		return err
	}
	err = l.forth(ctx, a, b)
	if err == nil {
		err = l.back(ctx, a, b, false)
	}
	if e := conn.QueryRowContext(context.Background(), `SELECT pg_advisory_unlock(hashtextextended('leader:' || $1, 0))`, l.network).Scan(&given); e != nil || !given {
		return e
	}
	return err
}

func (l *Leader) forth(ctx context.Context, a, b int64) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM lefts WHERE id = $1 FOR UPDATE`, a); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM rights WHERE id = $1 FOR UPDATE`, b); err != nil {
		return err
	}
	return tx.Commit()
}

// back could do more than its one caller asks of it, which is still where it
// is judged.
func (l *Leader) back(ctx context.Context, a, b int64, again bool) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM rights WHERE id = $1 FOR UPDATE`, b); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM lefts WHERE id = $1 FOR UPDATE`, a); err != nil { // want lock-order-cycle "Run itself also takes them in the opposite order"
		return err
	}
	if again {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM rights WHERE id = $1 FOR UPDATE`, a); err != nil {
			return err
		}
	}
	return tx.Commit()
}
