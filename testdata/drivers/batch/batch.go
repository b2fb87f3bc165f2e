// Package batch has statements that are queued and run when their batch is
// sent: a transaction of its own, or in the one that is open.
package batch

import (
	"context"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func A(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	b := &pgx.Batch{}
	b.Queue(`UPDATE ba_rows SET n = n + 1 WHERE id = $1`, id)
	b.Queue(`UPDATE bb_rows SET n = n + 1 WHERE id = $1`, id)
	br := pool.SendBatch(ctx, b)
	for range 2 {
		if _, err := br.Exec(); err != nil {
			br.Close()
			return err
		}
	}
	return br.Close()
}

func B(ctx context.Context, tx pgx.Tx, id int64) error {
	var b pgx.Batch
	b.Queue(`UPDATE bb_rows SET n = 0 WHERE id = $1`, id)
	b.Queue(`UPDATE ba_rows SET n = 0 WHERE id = $1`, id) // want lock-order-cycle "row \"ba_rows\" .* acquired while holding row \"bb_rows\".*A takes them"
	return tx.SendBatch(ctx, &b).Close()
}

type Acc struct{ ID, N int64 }

// Chunks sends in turns, and the rest at the end.
func Chunks(ctx context.Context, pool *pgxpool.Pool, accs []Acc) error {
	b := &pgx.Batch{}
	for _, a := range accs {
		b.Queue(`UPDATE bc_rows SET n = $2 WHERE id = $1`, a.ID, a.N) // want unordered-lock-loop "row \"bc_rows\" is taken for each element of accs"
		if b.Len() >= 100 {
			if err := pool.SendBatch(ctx, b).Close(); err != nil {
				return err
			}
			b = &pgx.Batch{}
		}
	}
	return pool.SendBatch(ctx, b).Close()
}

func Beside(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE bd_rows SET n = 1 WHERE id = $1`, id); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(`INSERT INTO be_rows (n) VALUES ($1)`, id)
		return pool.SendBatch(ctx, b).Close() // want pool-in-tx "a statement runs on the pool while Beside has a transaction of the same pool open"
	})
}

func GoodA(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	b := &pgx.Batch{}
	b.Queue(`UPDATE bh_rows SET n = n + 1 WHERE id = $1`, id)
	b.Queue(`UPDATE bi_rows SET n = n + 1 WHERE id = $1`, id)
	return pool.SendBatch(ctx, b).Close()
}

func GoodB(ctx context.Context, tx pgx.Tx, id int64) error {
	var b pgx.Batch
	b.Queue(`UPDATE bh_rows SET n = 0 WHERE id = $1`, id)
	b.Queue(`UPDATE bi_rows SET n = 0 WHERE id = $1`, id)
	return tx.SendBatch(ctx, &b).Close()
}

// Each sends a batch of one row a turn.
func Each(ctx context.Context, pool *pgxpool.Pool, accs []Acc) error {
	for _, a := range accs {
		b := &pgx.Batch{}
		b.Queue(`UPDATE bc_rows SET n = $2 WHERE id = $1`, a.ID, a.N)
		if err := pool.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
	return nil
}

func Fetched(ctx context.Context, pool *pgxpool.Pool, urls []string) error {
	b := &pgx.Batch{}
	for _, u := range slices.Sorted(slices.Values(urls)) {
		r, err := http.Get(u)
		if err != nil {
			return err
		}
		r.Body.Close()
		b.Queue(`UPDATE bf_rows SET code = $2 WHERE url = $1`, u, r.StatusCode)
	}
	return pool.SendBatch(ctx, b).Close()
}

func GoodBeside(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE bd_rows SET n = 1 WHERE id = $1`, id); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(`INSERT INTO be_rows (n) VALUES ($1)`, id)
		return tx.SendBatch(ctx, b).Close()
	})
}
