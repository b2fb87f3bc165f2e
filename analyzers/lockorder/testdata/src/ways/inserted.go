package ways

import (
	"context"
	"database/sql"
)

// Book makes a row under a number of the caller's, and writes it again:
// nobody else can have it, whatever order Cancel takes both in.
func Book(ctx context.Context, db *sql.DB, seat int64, number string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO bookings (number, seat, state) VALUES ($1, $2, 'new')`, number, seat); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE bookings SET state = 'open' WHERE number = $1`, number); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE seats SET taken = true WHERE id = $1`, seat); err != nil {
		return err
	}
	return tx.Commit()
}

func Cancel(ctx context.Context, db *sql.DB, seat int64, number string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE seats SET taken = false WHERE id = $1`, seat); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE bookings SET state = 'cancelled' WHERE number = $1`, number); err != nil {
		return err
	}
	return tx.Commit()
}

// Sell counts on a row that may be another's, which DO NOTHING leaves as it
// is: the update waits for it, in the opposite order of Refund.
func Sell(ctx context.Context, db *sql.DB, stand int64, day string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM stands WHERE id = $1 FOR NO KEY UPDATE`, stand); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO totals (stand, day) VALUES ($1, $2) ON CONFLICT DO NOTHING`, stand, day); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE totals SET n = n + 1 WHERE stand = $1 AND day = $2`, stand, day); err != nil {
		return err
	}
	return tx.Commit()
}

func Refund(ctx context.Context, db *sql.DB, stand int64, day string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT n FROM totals WHERE stand = $1 AND day = $2 FOR NO KEY UPDATE`, stand, day); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE stands SET refunds = refunds + 1 WHERE id = $1`, stand); err != nil { // want lock-order-cycle "Sell takes them in the opposite order"
		return err
	}
	return tx.Commit()
}
