package loop

import (
	"context"
	"database/sql"
	"iter"
	"maps"
	"slices"
)

// What a helper is given to loop over, its callers show: an iterator, or a
// slice that they have sorted.
func LockEach(ctx context.Context, tx *sql.Tx, names iter.Seq[string]) error {
	for name := range names {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('given/' || $1, 0))`, name); err != nil { // want unordered-lock-loop "advisory given/ is taken for each element of names, whose order is random"
			return err
		}
	}
	return nil
}

func LockSeats(ctx context.Context, tx *sql.Tx, ids []int64) error {
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM lg_seats WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
	}
	return nil
}

func givenTx(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func Ordered(ctx context.Context, db *sql.DB, set map[string]bool, seats []int64) error {
	slices.Sort(seats)
	return givenTx(ctx, db, func(tx *sql.Tx) error {
		if err := LockEach(ctx, tx, slices.Values(slices.Sorted(maps.Keys(set)))); err != nil {
			return err
		}
		return LockSeats(ctx, tx, seats)
	})
}

func Random(ctx context.Context, db *sql.DB, set map[string]bool) error {
	return givenTx(ctx, db, func(tx *sql.Tx) error { return LockEach(ctx, tx, maps.Keys(set)) })
}

// Another path to the row of the loop says nothing of its order.
func takeSeat(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE lh_seats SET owner = 'x' WHERE id = $1`, id) // want unordered-lock-loop "row \"lh_seats\" is taken for each element of ids, in the order the caller gives"
	return err
}

func TakeSeats(ctx context.Context, db *sql.DB, ids []int64) error {
	return givenTx(ctx, db, func(tx *sql.Tx) error {
		for _, id := range ids {
			if err := takeSeat(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func TakeBoth(ctx context.Context, db *sql.DB, id int64, rest []int64) error {
	if err := givenTx(ctx, db, func(tx *sql.Tx) error { return takeSeat(ctx, tx, id) }); err != nil {
		return err
	}
	return TakeSeats(ctx, db, rest)
}
