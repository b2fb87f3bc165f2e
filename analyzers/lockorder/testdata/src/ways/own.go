package ways

import (
	"context"
	"database/sql"
)

// A Fitting brings the numbers of a door and a room by ways that are not
// followed.
type Fitting struct{ Door, Room chan int64 }

// Build makes a room and a door, and writes rows of both which may be those:
// that Lock meets it is a guess.
func Build(ctx context.Context, db *sql.DB, room, door int64, f Fitting) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO rooms (id) VALUES ($1)`, room); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO doors (id, room) VALUES ($1, $2)`, door, room); err != nil {
			return err
		}
		return fit(ctx, tx, f)
	})
}

func fit(ctx context.Context, tx *sql.Tx, f Fitting) error {
	if _, err := tx.ExecContext(ctx, `UPDATE doors SET note = 'new' WHERE id = $1`, <-f.Door); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE rooms SET note = 'new' WHERE id = $1`, <-f.Room)
	return err
}

func Lock(ctx context.Context, db *sql.DB, room, door int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE rooms SET note = 'locked' WHERE id = $1`, room); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE doors SET note = 'locked' WHERE id = $1 AND room = $2`, door, room) // want lock-order-cycle "Build takes them in the opposite order"
		return err
	})
}
