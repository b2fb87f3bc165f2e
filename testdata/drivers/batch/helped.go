package batch

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A function that is given the batch queues some of its statements.

func touch(b *pgx.Batch, id int64) {
	b.Queue(`UPDATE hg_jobs SET n = n + 1 WHERE id = $1`, id)
}

func Helped(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	b := &pgx.Batch{}
	touch(b, id)
	b.Queue(`UPDATE hh_jobs SET n = n + 1 WHERE id = $1`, id)
	return pool.SendBatch(ctx, b).Close()
}

func Back(ctx context.Context, tx pgx.Tx, id int64) error {
	if _, err := tx.Exec(ctx, `UPDATE hh_jobs SET n = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE hg_jobs SET n = 0 WHERE id = $1`, id) // want lock-order-cycle "row \"hg_jobs\" .* acquired while holding row \"hh_jobs\".*Helped takes them"
	return err
}

// A queue is what a program of its own calls a batch.
type queue interface {
	Queue(query string, args ...any) *pgx.QueuedQuery
	Len() int
}

type item struct{ id int64 }

func (i item) fill(q queue) {
	q.Queue(`UPDATE hi_jobs SET n = n + 1 WHERE id = $1`, i.id)
	q.Queue(`UPDATE hj_jobs SET n = n + 1 WHERE id = $1`, i.id)
}

func Filled(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	b := &pgx.Batch{}
	item{id}.fill(b)
	return pool.SendBatch(ctx, b).Close()
}

func BackToo(ctx context.Context, tx pgx.Tx, id int64) error {
	if _, err := tx.Exec(ctx, `UPDATE hj_jobs SET n = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE hi_jobs SET n = 0 WHERE id = $1`, id) // want lock-order-cycle "row \"hi_jobs\" .* acquired while holding row \"hj_jobs\".*Filled takes them"
	return err
}

// Two statements of a batch whose sender is out of sight are in one
// transaction.
func Kept(q queue, id int64) {
	q.Queue(`UPDATE hk_jobs SET n = n + 1 WHERE id = $1`, id)
	q.Queue(`UPDATE hl_jobs SET n = n + 1 WHERE id = $1`, id)
}

func BackOut(ctx context.Context, tx pgx.Tx, id int64) error {
	if _, err := tx.Exec(ctx, `UPDATE hl_jobs SET n = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE hk_jobs SET n = 0 WHERE id = $1`, id) // want lock-order-cycle "row \"hk_jobs\" .* acquired while holding row \"hl_jobs\".*Kept takes them"
	return err
}

// What a function with the batch returns is not moved away from its use.
func valid(b *pgx.Batch) bool { return b.Len() < 100 }

func Checked(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	b := &pgx.Batch{}
	touch(b, id)
	if !valid(b) {
		return nil
	}
	return pool.SendBatch(ctx, b).Close()
}

// A closure queues.
func Captured(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	b := &pgx.Batch{}
	add := func(sql string) { b.Queue(sql, id) }
	b.Queue(`SELECT 1`)
	add(`UPDATE hm_jobs SET n = n + 1 WHERE id = $1`)
	b.Queue(`UPDATE hn_jobs SET n = n + 1 WHERE id = $1`, id)
	return pool.SendBatch(ctx, b).Close()
}

func BackAgain(ctx context.Context, tx pgx.Tx, id int64) error {
	if _, err := tx.Exec(ctx, `UPDATE hn_jobs SET n = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE hm_jobs SET n = 0 WHERE id = $1`, id) // want lock-order-cycle "row \"hm_jobs\" .* acquired while holding row \"hn_jobs\".*Captured takes them.*opposite order .possible deadlock.$"
	return err
}

// What is done with the batch after it is sent, and in the end, stays there.
func mark(ctx context.Context, tx pgx.Tx, b *pgx.Batch, id int64) error {
	_, err := tx.Exec(ctx, `UPDATE hp_jobs SET n = $2 WHERE id = $1`, id, b.Len())
	return err
}

func After(ctx context.Context, tx pgx.Tx, id int64) (err error) {
	b := &pgx.Batch{}
	defer func() { err = mark(ctx, tx, b, id) }()
	b.Queue(`UPDATE ho_jobs SET n = n + 1 WHERE id = $1`, id)
	touch(b, id)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return mark(ctx, tx, b, id)
}

func BackAfter(ctx context.Context, tx pgx.Tx, id int64) error {
	if _, err := tx.Exec(ctx, `UPDATE hp_jobs SET n = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE ho_jobs SET n = 0 WHERE id = $1`, id) // want lock-order-cycle "row \"ho_jobs\" .* acquired while holding row \"hp_jobs\".*After takes them"
	return err
}
