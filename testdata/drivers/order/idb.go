package order

import (
	"context"

	"github.com/uptrace/bun"
)

// A repository keeps its session as bun's interface: a statement stands where
// it is made, not where the session is handed on.
type OnRepo struct{ db bun.IDB }

func (r *OnRepo) tx(ctx context.Context, fn func(*OnRepo) error) error {
	return r.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return fn(&OnRepo{db: tx}) })
}

func (r *OnRepo) weigh(ctx context.Context, id int64) error {
	_, err := r.db.NewUpdate().Table("on_chunks").Set("weight = weight + 1").Where("id = ?", id).Exec(ctx)
	return err
}

func (r *OnRepo) count(ctx context.Context, id int64) error {
	_, err := r.db.NewUpdate().Table("on_docs").Set("hits = hits + 1").Where("id = ?", id).Exec(ctx) // want lock-order-cycle "row \"on_docs\""
	return err
}

func (r *OnRepo) Hit(ctx context.Context, id int64) error {
	return r.tx(ctx, func(r *OnRepo) error {
		if err := r.weigh(ctx, id); err != nil {
			return err
		}
		return r.count(ctx, id)
	})
}

func (r *OnRepo) Sum(ctx context.Context, id int64) error {
	return r.tx(ctx, func(r *OnRepo) error {
		if err := r.count(ctx, id); err != nil {
			return err
		}
		return r.weigh(ctx, id)
	})
}
