package shop

import (
	"context"
	"database/sql"
	"errors"
)

func OnPool(ctx context.Context, db *sql.DB, work func()) error {
	if _, err := db.ExecContext(ctx, `SELECT pg_advisory_lock(101)`); err != nil { // want session-lock-via-pool "session lock advisory 101 is taken on a pool"
		return err
	}
	work()
	_, err := db.ExecContext(ctx, `SELECT pg_advisory_unlock(101)`) // want unlock-other-conn "advisory 101 is released on a pool" unlock-result-ignored "is dropped"
	return err
}

func Lead(ctx context.Context, db *sql.DB, work func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(102)`).Scan(&ok); err != nil || !ok { // want session-lock-leak "session lock advisory 102 is still held when its connection goes back to the pool"
		return err
	}
	work() // want leader-no-liveness "session lock advisory 102"
	return nil
}

func Guard(ctx context.Context, db *sql.DB, work func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(103)`); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, `SELECT pg_advisory_unlock(103)`) // want unlock-result-ignored "the result of unlocking advisory 103 is dropped" unlock-cancelable-ctx "advisory 103 is released under a context that may be cancelled by then"
	work()
	return nil
}

func Pin(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(104)`); err != nil {
		return nil, errors.New("locking") // want lock-conn-leak "the connection pinned for advisory 104 is neither closed nor returned here"
	}
	return conn, nil
}

func InTx(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_lock(105)`) // want session-lock-in-tx "session lock advisory 105 is taken inside a transaction"
	return err
}

func Scanned(ctx context.Context, conn *sql.Conn) (ok bool, err error) {
	err = conn.QueryRowContext(ctx, `SELECT pg_advisory_lock(106)`).Scan(&ok) // want void-result-scanned "the void result of locking advisory 106 is scanned into bool"
	return ok, err
}

func Ticks(ctx context.Context, conn *sql.Conn, ticks <-chan int, work func()) error {
	for range ticks {
		var ok bool
		if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(107)`).Scan(&ok); err != nil { // want reentrant-imbalance "session lock advisory 107 is taken again in each turn of a loop and released once"
			break
		}
		if ok {
			work() // want leader-no-liveness "session lock advisory 107"
		}
	}
	var was bool
	return conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(107)`).Scan(&was) // want unlock-result-ignored "the result of unlocking advisory 107 is dropped"
}

func Crossed(ctx context.Context, db *sql.DB) error {
	a, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer dropSession(a)
	if _, err := a.ExecContext(ctx, `SELECT pg_advisory_lock(108)`); err != nil {
		return err
	}
	b, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	var was bool
	return b.QueryRowContext(ctx, `SELECT pg_advisory_unlock(108)`).Scan(&was) // want unlock-other-conn "advisory 108 is released on another connection than it was taken on" unlock-result-ignored "the result of unlocking advisory 108 is dropped"
}
