package ways

import (
	"context"
	"database/sql"
)

// Open writes the row that it made: nobody else can have it, whatever order
// Close takes both in.
func Open(ctx context.Context, db *sql.DB, desk int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int64
	if err := tx.QueryRowContext(ctx, `INSERT INTO calls (state) VALUES ('new') RETURNING id`).Scan(&id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE desks SET free = free - 1 WHERE id = $1`, desk); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE calls SET state = 'open' WHERE id = $1`, id); err != nil {
		return err
	}
	return tx.Commit()
}

func Close(ctx context.Context, db *sql.DB, desk, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE calls SET state = 'closed' WHERE id = $1`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE desks SET free = free + 1 WHERE id = $1`, desk); err != nil {
		return err
	}
	return tx.Commit()
}
