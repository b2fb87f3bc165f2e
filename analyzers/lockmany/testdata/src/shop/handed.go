package shop

import (
	"context"
	"database/sql"
	"sort"
)

// TakeAll sorts before the closure that takes the rows is made, and before
// the one that gives them back is.
func TakeAll(ctx context.Context, db *sql.DB, ids []int64) (func() error, error) {
	own := make([]int64, len(ids))
	copy(own, ids)
	sort.Slice(own, func(i, j int) bool { return own[i] < own[j] })
	if err := inTx(ctx, db, func(tx *sql.Tx) error {
		for _, id := range own {
			if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'taken' WHERE id = $1`, id); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return giver(ctx, db, own), nil
}

func giver(ctx context.Context, db *sql.DB, ids []int64) func() error {
	return func() error {
		return inTx(ctx, db, func(tx *sql.Tx) error {
			for _, id := range ids {
				if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = '' WHERE id = $1`, id); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// TakeAny gives the closure a list as it comes.
func TakeAny(ctx context.Context, db *sql.DB, ids []int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'any' WHERE id = $1`, id); err != nil { // want unordered-lock-loop "in the order the caller gives"
				return err
			}
		}
		return nil
	})
}

func inTx(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
