package shop

import (
	"context"
	"database/sql"
)

// A Job is a row.
type Job struct{ ID int64 }

// Batch inserts rows of a list, then writes each of them.
func Batch(ctx context.Context, tx *sql.Tx, jobs []*Job) error {
	ids := make([]int64, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO jobs (id, queue, state) SELECT id, 'q', 'new' FROM unnest($1::bigint[]) id`, ids); err != nil {
		return err
	}
	for _, j := range jobs {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'ready' WHERE id = $1`, j.ID); err != nil { // want unordered-lock-loop "whose rows the transaction has inserted before"
			return err
		}
	}
	return nil
}

// Turns inserts each row of a list, then writes each of them.
func Turns(ctx context.Context, tx *sql.Tx, jobs []*Job) error {
	for _, j := range jobs {
		if _, err := tx.ExecContext(ctx, `INSERT INTO jobs (id, queue, state) VALUES ($1, 'q', 'new')`, j.ID); err != nil {
			return err
		}
	}
	for _, j := range jobs {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'ready' WHERE id = $1`, j.ID); err != nil { // want unordered-lock-loop "whose rows the transaction has inserted before"
			return err
		}
	}
	return nil
}

// Upsert may leave rows to others: it locks them in the caller's order.
func Upsert(ctx context.Context, tx *sql.Tx, jobs []*Job) error {
	for _, j := range jobs {
		if _, err := tx.ExecContext(ctx, `INSERT INTO jobs (id, queue, state) VALUES ($1, 'q', 'new') ON CONFLICT DO NOTHING`, j.ID); err != nil {
			return err
		}
	}
	for _, j := range jobs {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'ready' WHERE id = $1`, j.ID); err != nil { // want unordered-lock-loop "in the order the caller gives"
			return err
		}
	}
	return nil
}

// Made writes the rows whose ids the INSERT returned.
func Made(ctx context.Context, tx *sql.Tx, queues []string) error {
	ids, err := list(ctx, tx, `INSERT INTO jobs (queue, state) SELECT unnest(ARRAY['a', 'b']), 'new' RETURNING id`)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE jobs SET state = 'ready' WHERE id = ANY($1)`, ids)
	return err
}

// Taken writes the rows that its query has locked.
func Taken(ctx context.Context, tx *sql.Tx) error {
	ids, err := list(ctx, tx, `SELECT id FROM jobs WHERE state = '' LIMIT 10 FOR UPDATE SKIP LOCKED`)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE jobs SET state = 'claimed' WHERE id = ANY($1)`, ids)
	return err
}

// Read writes rows that its query has only read.
func Read(ctx context.Context, tx *sql.Tx) error {
	ids, err := list(ctx, tx, `SELECT id FROM jobs WHERE state = ''`)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE jobs SET state = 'claimed' WHERE id = ANY($1)`, ids) // want unordered-multi-row-lock "UPDATE locks several rows"
	return err
}

// TakenBy does so in a loop, by a query whose text is known only in part.
func TakenBy(ctx context.Context, tx *sql.Tx, columns string) error {
	ids, err := list(ctx, tx, `SELECT `+columns+` FROM jobs WHERE state = '' LIMIT 10 FOR UPDATE SKIP LOCKED`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'taken' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "whose query has locked rows of it before"
			return err
		}
	}
	return nil
}

// SeenBy walks rows that its query has not locked.
func SeenBy(ctx context.Context, tx *sql.Tx, columns string) error {
	ids, err := list(ctx, tx, `SELECT `+columns+` FROM jobs WHERE state = '' LIMIT 10`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'seen' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "another transaction may take them the other way: possible deadlock"
			return err
		}
	}
	return nil
}
