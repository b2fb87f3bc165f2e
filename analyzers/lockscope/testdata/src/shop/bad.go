package shop

import (
	"context"
	"database/sql"
	"log"
)

func Auto(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `SELECT pg_advisory_xact_lock(301)`); err != nil { // want xact-lock-outside-tx "transaction lock advisory 301 is taken on a pool"
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`)
	return err
}

func RowAuto(ctx context.Context, db *sql.DB, id int64) (cents int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT cents FROM accounts WHERE id = $1 FOR UPDATE`, id).Scan(&cents) // want row-lock-outside-tx "row \"accounts\" \\(FOR UPDATE\\) is locked on a pool"
	return cents, err
}

func Dropped(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `SELECT pg_try_advisory_xact_lock(302)`); err != nil { // want try-result-ignored "the answer of trying advisory 302 is dropped"
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`)
	return err
}

func Logged(ctx context.Context, tx *sql.Tx) error {
	var ok bool
	if err := tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock(303)`).Scan(&ok); err != nil { // want try-result-ignored "the answer of trying advisory 303 is read but decides nothing"
		return err
	}
	if !ok {
		log.Print("busy")
	}
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 2`)
	return err
}

func Printed(ctx context.Context, tx *sql.Tx) error {
	var ok bool
	if err := tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock(306)`).Scan(&ok); err != nil { // want try-result-ignored "the answer of trying advisory 306 is printed and decides nothing"
		return err
	}
	log.Println("locked:", ok)
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 3`)
	return err
}

func Early(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(304)`); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 3`); err != nil {
		return err
	}
	var was bool
	if err := tx.QueryRowContext(ctx, `SELECT pg_advisory_unlock(304)`).Scan(&was); err != nil { // want unlock-before-commit "session lock advisory 304 is released before the transaction that writes under it commits"
		return err
	}
	return tx.Commit()
}

func Slow(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `UPDATE jobs SET state = 'slow' WHERE id = 1`); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `SET statement_timeout = 500`) // want guc-leak "SET statement_timeout stays on the pooled connection"
	return err
}

type Executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

type factory interface{ Executor() Executor }

type onPool struct{ db *sql.DB }

func (f onPool) Executor() Executor { return f.db }

type given struct{ exec Executor }

func (f given) Executor() Executor { return f.exec }

type Desk struct{ f factory }

func NewDesk(db *sql.DB) *Desk { return &Desk{onPool{db}} }

func DeskWith(exec Executor) *Desk { return &Desk{given{exec}} }

// Claim runs on the pool unless the desk was given something else.
func (d *Desk) Claim(ctx context.Context, id int64) error {
	exec := d.f.Executor()
	_, err := exec.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id) // want row-lock-outside-tx "is locked on a pool"
	return err
}

// Performed goes on without its lock.
func Performed(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `DO $$ BEGIN PERFORM pg_try_advisory_xact_lock(43); END $$`) // want try-result-ignored "the answer of trying advisory 43 is dropped"
	return err
}

// Sweep locks nothing: PostgreSQL runs a SELECT in WITH when it is read.
func Sweep(ctx context.Context, tx *sql.Tx, ids []int64) error {
	_, err := tx.ExecContext(ctx, `WITH locked AS (SELECT id FROM accounts WHERE id = ANY ($1) ORDER BY id FOR UPDATE) DELETE FROM accounts WHERE id = ANY ($1)`, ids) // want lock-never-taken "the locks that locked asks for in WITH are never taken"
	return err
}

// Guarded does not take its advisory lock.
func Guarded(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `WITH guard AS (SELECT pg_advisory_xact_lock(311)) UPDATE accounts SET cents = 0 WHERE id = $1`, id) // want lock-never-taken "the locks that guard asks for in WITH are never taken"
	return err
}

// Hurried puts the usual limit back unless the work fails.
func Hurried(ctx context.Context, db *sql.DB, id int64) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SET statement_timeout = 500`); err != nil { // want guc-leak "SET statement_timeout stays on the pooled connection"
		return err
	}
	if _, err := conn.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, `SET statement_timeout = 30000`)
	return err
}

// Chained reads the locks only in a CTE that nothing reads.
func Chained(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `WITH guard AS (SELECT id FROM accounts WHERE id = $1 FOR UPDATE), own AS (SELECT id FROM guard) INSERT INTO accounts (id, cents) VALUES ($1, 0)`, id) // want lock-never-taken "the locks that guard asks for in WITH are never taken"
	return err
}
