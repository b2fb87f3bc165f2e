package shop

import (
	"context"
	"database/sql"
)

func CloseAll(ctx context.Context, tx *sql.Tx, ids []int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = ANY($1)`, ids) // want unordered-multi-row-lock "UPDATE locks several rows of \"accounts\" in no fixed order"
	return err
}

func Pay(ctx context.Context, db *sql.DB, sums map[int64]int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for id, cents := range sums {
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = cents + $2 WHERE id = $1`, id, cents); err != nil { // want unordered-lock-loop "row \"accounts\" is taken for each element of sums, whose order is random"
			return err
		}
	}
	return tx.Commit()
}

func LockEach(ctx context.Context, tx *sql.Tx, ids []int64) error {
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('account:' || $1, 0))`, id); err != nil { // want unordered-lock-loop "in the order the caller gives"
			return err
		}
	}
	return nil
}

func Claim(ctx context.Context, tx *sql.Tx, queue string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM jobs WHERE queue = $1 AND pg_try_advisory_xact_lock(11, id::int) LIMIT 1`, queue).Scan(&id) // want lock-in-predicate "is taken in a condition"
	return id, err
}

func Join(ctx context.Context, tx *sql.Tx, id int64) (cents int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT e.cents FROM entries e JOIN accounts a ON a.id = e.account_id WHERE e.id = $1 FOR UPDATE`, id).Scan(&cents) // want for-update-join-scope "FOR UPDATE without OF locks rows of \"accounts\" and \"entries\""
	return cents, err
}

func Peek(ctx context.Context, tx *sql.Tx, id int64) (state string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT state FROM jobs WHERE id = $1 FOR UPDATE SKIP LOCKED`, id).Scan(&state) // want skip-locked-by-key "a locked row looks like a missing one"
	return state, err
}

// Settle locks the account first: its entries are then locked by one session
// at a time.
func Settle(ctx context.Context, db *sql.DB, account int64, ids []int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, account); err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `UPDATE entries SET cents = 0 WHERE id = $1`, id); err != nil { // want unordered-lock-loop "under row \"accounts\""
			return err
		}
	}
	return tx.Commit()
}

// Sides are two accounts, whatever they are called.
func Sides(ctx context.Context, tx *sql.Tx, from, to int64) error {
	for _, side := range []struct {
		label string
		id    int64
	}{{"the debit side", from}, {"the credit side", to}} {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, side.id); err != nil { // want unordered-lock-loop "in the order the caller gives"
			return err
		}
	}
	return nil
}

// LockAccounts locks an account, then those that have entries of a size: other
// rows of the same column, so other keys.
func LockAccounts(ctx context.Context, tx *sql.Tx, account int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(id) FROM accounts WHERE id = $1`, account); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(account_id) FROM entries WHERE cents = $1`, account) // want unordered-multi-row-lock "one statement takes several locks"
	return err
}
