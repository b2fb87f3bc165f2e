package shop

import (
	"context"
	"database/sql"
)

// Grab writes the rows that its query has locked.
func Grab(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	ids, err := list(ctx, tx, `SELECT id FROM jobs WHERE state = '' LIMIT 10 FOR UPDATE SKIP LOCKED`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'claimed' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "whose query has locked rows of it before"
			return err
		}
	}
	return tx.Commit()
}

// Sweep writes rows that its query has only read.
func Sweep(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	ids, err := list(ctx, tx, `SELECT id FROM jobs WHERE state = 'old'`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'swept' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "whose query has no ORDER BY"
			return err
		}
	}
	return tx.Commit()
}

func list(ctx context.Context, tx *sql.Tx, query string) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
