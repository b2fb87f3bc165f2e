package unlock

import (
	stdctx "context"
	"database/sql"
)

func Lead(ctx stdctx.Context, db *sql.DB, work func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(44)`); err != nil {
		return err
	}
	defer func() {
		var ok bool
		if err := conn.QueryRowContext(ctx, `SELECT pg_advisory_unlock(44)`).Scan(&ok); err != nil || !ok { // want `advisory 44 is released under a context that may be cancelled by then`
			panic("the lock was lost")
		}
	}()
	work()
	return nil
}
