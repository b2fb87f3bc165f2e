package shop

import (
	"context"
	"database/sql"
)

// Drain works on the jobs of one queue, under a lock on its name: whoever
// walks these jobs waits there.
func Drain(ctx context.Context, db *sql.DB, queue string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('queue:' || $1, 0))`, queue); err != nil {
		return err
	}
	ids, err := named(ctx, tx, `SELECT id FROM jobs WHERE queue = $1 AND state <> 'done'`, queue)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "which a query chose by what is locked before, advisory queue:"
			return err
		}
	}
	return tx.Commit()
}

// Spill holds the lock of one queue and walks the jobs in some state, which
// are of all queues.
func Spill(ctx context.Context, db *sql.DB, queue, state string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('queue:' || $1, 0))`, queue); err != nil {
		return err
	}
	ids, err := named(ctx, tx, `SELECT id FROM jobs WHERE state = $1`, state)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "possible deadlock"
			return err
		}
	}
	return tx.Commit()
}

// Bill walks the jobs of one queue and locks accounts, which jobs of other
// queues lead to as well.
func Bill(ctx context.Context, db *sql.DB, queue string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('queue:' || $1, 0))`, queue); err != nil {
		return err
	}
	ids, err := named(ctx, tx, `SELECT a.id FROM jobs j JOIN accounts a ON a.owner = j.id WHERE j.queue = $1`, queue)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = cents - 1 WHERE id = $1`, id); err != nil { // want unordered-lock-loop "possible deadlock"
			return err
		}
	}
	return tx.Commit()
}

// Either walks the jobs of a queue, or those in a state.
func Either(ctx context.Context, db *sql.DB, queue string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('queue:' || $1, 0))`, queue); err != nil {
		return err
	}
	ids, err := named(ctx, tx, `SELECT id FROM jobs WHERE queue = $1 OR state = 'lost'`, queue)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "possible deadlock"
			return err
		}
	}
	return tx.Commit()
}

// Claimed writes an account for each job that its query has locked: two jobs
// of different workers may lead to one account.
func Claimed(ctx context.Context, db *sql.DB) error {
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
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = cents - 1 WHERE owner = $1`, id); err != nil { // want unordered-lock-loop "whose rows are locked in row \"jobs\" before"
			return err
		}
	}
	return tx.Commit()
}

func named(ctx context.Context, tx *sql.Tx, query, name string) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, query, name)
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
