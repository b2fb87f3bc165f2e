package shop

import (
	"context"
	"database/sql"
)

func inTx(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
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

// Open inserts an account with its first entry, which waits for nobody: no
// other session can have that account yet.
func Open(ctx context.Context, db *sql.DB, cents int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		id, err := add(ctx, tx, cents)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO entries (account_id, cents) VALUES ($1, $2)`, id, cents)
		return err
	})
}

func add(ctx context.Context, tx *sql.Tx, cents int64) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO accounts (cents) VALUES ($1) RETURNING id`, cents).Scan(&id)
	return id, err
}

// Book inserts a child: the foreign key locks the account FOR KEY SHARE.
func Book(ctx context.Context, db *sql.DB, id, cents int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO entries (account_id, cents) VALUES ($1, $2)`, id, cents)
		return err
	})
}

// Pay makes Book wait for nothing.
func Pay(ctx context.Context, db *sql.DB, id, cents int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil { // want fk-lock-strength "^row \"accounts\" is locked FOR UPDATE though no key of it changes; Book"
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = cents - $2 WHERE id = $1`, id, cents)
		return err
	})
}

// Close deletes the account: the strength is needed.
func Close(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM accounts WHERE id = $1`, id)
		return err
	})
}

// Weak is how Pay should do it.
func Weak(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, id)
		return err
	})
}

// Claim locks rows that nothing refers to.
func Claim(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id)
		return err
	})
}
