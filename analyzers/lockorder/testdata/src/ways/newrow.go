package ways

import (
	"context"
	"database/sql"
)

// RaiseAlarm adds an alarm, and its trigger a row that refers to it: nobody
// else can have the new alarm, so that CloseAlarm waits for none of it.
func RaiseAlarm(ctx context.Context, db *sql.DB, site int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO alarms (site) VALUES ($1)`, site)
		return err
	})
}

func CloseAlarm(ctx context.Context, db *sql.DB, alarm, site int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM alarms WHERE id = $1 FOR UPDATE`, alarm); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM sites WHERE id = $1 FOR UPDATE`, site) // want fk-lock-strength "row .sites. is locked FOR UPDATE"
		return err
	})
}

// RaiseSiren's trigger refers to the siren that is the cause of the new one.
func RaiseSiren(ctx context.Context, db *sql.DB, post, cause int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO sirens (post, cause) VALUES ($1, $2)`, post, cause) // want trigger-lock "row .sirens. .FOR KEY SHARE by foreign key siren_states_siren_fkey. acquired while holding row .posts. .FOR KEY SHARE by foreign key sirens_post_fkey.; CloseSiren takes them in the opposite order"
		return err
	})
}

func CloseSiren(ctx context.Context, db *sql.DB, siren, post int64) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM sirens WHERE id = $1 FOR UPDATE`, siren); err != nil { // want fk-lock-strength "row .sirens. is locked FOR UPDATE"
			return err
		}
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM posts WHERE id = $1 FOR UPDATE`, post) // want fk-lock-strength "row .posts. is locked FOR UPDATE"
		return err
	})
}
