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

func lock(ctx context.Context, tx *sql.Tx, owner int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('owner:' || $1, 0))`, owner)
	return err
}

// add is shared by every path; none of them differs here.
func add(ctx context.Context, tx *sql.Tx, id, cents int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = cents + $2 WHERE id = $1`, id, cents)
	return err
}

func Pay(ctx context.Context, db *sql.DB, owner, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := lock(ctx, tx, owner); err != nil {
			return err
		}
		return add(ctx, tx, id, -1)
	})
}

func Earn(ctx context.Context, db *sql.DB, owner, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := lock(ctx, tx, owner); err != nil {
			return err
		}
		return add(ctx, tx, id, 1)
	})
}

func Reset(ctx context.Context, db *sql.DB, owner, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := lock(ctx, tx, owner); err != nil {
			return err
		}
		return add(ctx, tx, id, 0)
	})
}

// Fee forgets the lock.
func Fee(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		return add(ctx, tx, id, -5) // want unlocked-write "^Fee writes rows of \"accounts\" without holding advisory owner: .3 of 4 paths hold it.$"
	})
}

// Note writes other rows: nobody locks for them.
func Note(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'new' WHERE id = $1`, id)
		return err
	})
}

// Only while holding the account are entries locked.
func Entry(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error { return entry(ctx, tx, id, 1) })
}

func Entry2(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error { return entry(ctx, tx, id, 2) })
}

func Entry3(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error { return entry(ctx, tx, id, 3) })
}

func entry(ctx context.Context, tx *sql.Tx, id, n int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM entries WHERE id = $1 FOR UPDATE`, n)
	return err
}

// Other locks an entry alone.
func Other(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM entries WHERE id = $1 FOR UPDATE`, id) // want divergent-path "^Other takes row \"entries\" without holding row \"jobs\" .3 of 4 paths hold it.$"
		return err
	})
}
