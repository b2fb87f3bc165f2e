package shop

import (
	"context"
	"database/sql"
)

// Tolerant goes on after it rolls back to a savepoint that its lock is after.
func Tolerant(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `SAVEPOINT row`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO entries (account_id, cents) VALUES ($1, 1)`, id); err == nil {
		if _, err := tx.ExecContext(ctx, `RELEASE SAVEPOINT row`); err != nil {
			return err
		}
	} else if _, err := tx.ExecContext(ctx, `ROLLBACK TO SAVEPOINT row`); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = $1`, id) // want savepoint-lock-scope "this work runs although a rollback to the savepoint may have released row .accounts."
	return err
}

// Before takes the lock before the savepoint, and keeps it.
func Before(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SAVEPOINT row`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO entries (account_id, cents) VALUES ($1, 1)`, id); err != nil {
		if _, err := tx.ExecContext(ctx, `ROLLBACK TO SAVEPOINT row`); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = $1`, id)
	return err
}

// find locks a job and lets it go with its transaction.
func find(ctx context.Context, db *sql.DB) (id int64, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, `SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`).Scan(&id); err != nil {
		return 0, err
	}
	return id, tx.Commit()
}

// Handle writes the job that it found when anybody else can have it.
func Handle(ctx context.Context, db *sql.DB) error {
	id, err := find(ctx, db)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = $1`, id) // want lock-scope-ended "this write runs after the transaction that locked row .jobs. has ended"
	return err
}
