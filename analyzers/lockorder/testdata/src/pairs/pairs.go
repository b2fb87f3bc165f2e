// Package pairs locks two rows of one table, one after the other.
package pairs

import (
	"context"
	"database/sql"
	"strings"
)

func account(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id) // want inconsistent-lock-order "row .accounts. acquired while holding another row .accounts., in the order of the arguments"
	return err
}

// Given locks in the order of its arguments, by one helper.
func Given(ctx context.Context, tx *sql.Tx, from, to int64) error {
	if err := account(ctx, tx, from); err != nil {
		return err
	}
	return account(ctx, tx, to)
}

func seat(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM seats WHERE id = $1 FOR UPDATE`, id)
	return err
}

// Swapped locks the lesser one first.
func Swapped(ctx context.Context, tx *sql.Tx, a, b string) error {
	if strings.Compare(a, b) > 0 {
		a, b = b, a
	}
	if err := seat(ctx, tx, a); err != nil {
		return err
	}
	return seat(ctx, tx, b)
}

func till(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM tills WHERE id = $1 FOR UPDATE`, id)
	return err
}

// Lesser asks for the lesser and the greater.
func Lesser(ctx context.Context, tx *sql.Tx, a, b int64) error {
	if err := till(ctx, tx, min(a, b)); err != nil {
		return err
	}
	return till(ctx, tx, max(a, b))
}

func desk(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM desks WHERE id = $1 FOR UPDATE`, id)
	return err
}

// Arms has a way for each order.
func Arms(ctx context.Context, tx *sql.Tx, a, b int64) error {
	if a < b {
		if err := desk(ctx, tx, a); err != nil {
			return err
		}
		return desk(ctx, tx, b)
	}
	if err := desk(ctx, tx, b); err != nil {
		return err
	}
	return desk(ctx, tx, a)
}

func door(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM doors WHERE id = $1 FOR UPDATE`, id)
	return err
}

// Listed swaps variables that a closure uses, and loops over them.
func Listed(ctx context.Context, db *sql.DB, a, b int64) error {
	if b < a {
		a, b = b, a
	}
	work := func(tx *sql.Tx) error {
		for _, id := range []int64{a, b} {
			if err := door(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Two places agree that the greater comes first, which is an order too.
func Downward(ctx context.Context, tx *sql.Tx, a, b int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM rooms WHERE id = $1 FOR UPDATE`, max(a, b)); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM rooms WHERE id = $1 FOR UPDATE`, min(a, b))
	return err
}

// Pay writes two rows in the order of its arguments.
func Pay(ctx context.Context, tx *sql.Tx, from, to int64, cents int) error {
	if _, err := tx.ExecContext(ctx, `UPDATE purses SET cents = cents - $2 WHERE id = $1`, from, cents); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE purses SET cents = cents + $2 WHERE id = $1`, to, cents) // want inconsistent-lock-order "row .purses. acquired while holding another row .purses., in the order of the arguments"
	return err
}

type order struct{ from, to int64 }

// Request writes two rows that one argument names.
func Request(ctx context.Context, tx *sql.Tx, o order) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM banks WHERE id = $1 FOR UPDATE`, o.from); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE banks SET cents = 0 WHERE id = $1`, o.to) // want inconsistent-lock-order "row .banks. acquired while holding another row .banks., in the order of the arguments"
	return err
}

// Prepared locks both in order before.
func Prepared(ctx context.Context, tx *sql.Tx, from, to int64, cents int) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM chests WHERE id IN ($1, $2) ORDER BY id FOR UPDATE`, from, to); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE chests SET cents = cents - $2 WHERE id = $1`, from, cents); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE chests SET cents = cents + $2 WHERE id = $1`, to, cents)
	return err
}

// Ordered writes the row with the lesser key first.
func Ordered(ctx context.Context, tx *sql.Tx, from, to int64, cents int) error {
	if from > to {
		from, to, cents = to, from, -cents
	}
	if _, err := tx.ExecContext(ctx, `UPDATE boxes SET cents = cents - $2 WHERE id = $1`, from, cents); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE boxes SET cents = cents + $2 WHERE id = $1`, to, cents)
	return err
}

// Ways has a way for each order of the writes.
func Ways(ctx context.Context, tx *sql.Tx, from, to int64) error {
	if from < to {
		if _, err := tx.ExecContext(ctx, `UPDATE bags SET cents = 1 WHERE id = $1`, from); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE bags SET cents = 2 WHERE id = $1`, to)
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE bags SET cents = 2 WHERE id = $1`, to); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE bags SET cents = 1 WHERE id = $1`, from)
	return err
}

type config struct{ total int64 }

// Count writes a row of the program's own and another one.
func (c config) Count(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `UPDATE counts SET cents = 1 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE counts SET cents = 2 WHERE id = $1`, c.total)
	return err
}
