// Package failures returns errors that libraries out of sight make.
package failures

import (
	"context"
	"database/sql"

	"github.com/pkg/errors"
	"go.uber.org/multierr"
)

// lock fails with an error of a library when it has locked nothing.
func lock(ctx context.Context, tx *sql.Tx, query string, id int64) error {
	if id < 0 {
		return errors.Errorf("%d is no id", id)
	}
	if _, err := tx.ExecContext(ctx, query, id); err != nil {
		return errors.Wrap(err, "locking")
	}
	return nil
}

func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return errors.WithStack(err)
	}
	if err := do(tx); err != nil {
		return multierr.Append(err, tx.Rollback())
	}
	return errors.Wrap(tx.Commit(), "committing")
}

// The gate is held on every way that goes on to the other two.
func GatedThere(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := lock(ctx, tx, `SELECT 1 FROM er_gates WHERE id = $1 FOR UPDATE`, 1); err != nil {
			return err
		}
		if err := lock(ctx, tx, `SELECT 1 FROM er_docks WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		return lock(ctx, tx, `SELECT 1 FROM er_ships WHERE id = $1 FOR UPDATE`, id)
	})
}

func GatedBack(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := lock(ctx, tx, `SELECT 1 FROM er_gates WHERE id = $1 FOR UPDATE`, 1); err != nil {
			return err
		}
		if err := lock(ctx, tx, `SELECT 1 FROM er_ships WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		return lock(ctx, tx, `SELECT 1 FROM er_docks WHERE id = $1 FOR UPDATE`, id)
	})
}

// An event is a line of a log of the zerolog kind.
type event struct{ text []string }

func Fatal() *event { return &event{} }

func (e *event) Err(err error) *event {
	e.text = append(e.text, err.Error())
	return e
}

func (e *event) Msg(text string) { e.text = append(e.text, text) }

// Whoever goes on has the gate: the others have ended the process.
func FatalThere(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM es_gates WHERE id = 1 FOR UPDATE`); err != nil {
			Fatal().Err(err).Msg("no gate")
		}
		if err := lock(ctx, tx, `SELECT 1 FROM es_docks WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		return lock(ctx, tx, `SELECT 1 FROM es_ships WHERE id = $1 FOR UPDATE`, id)
	})
}

func FatalBack(ctx context.Context, db *sql.DB, id int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM es_gates WHERE id = 1 FOR UPDATE`); err != nil {
			Fatal().Err(err).Msg("no gate")
		}
		if err := lock(ctx, tx, `SELECT 1 FROM es_ships WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		return lock(ctx, tx, `SELECT 1 FROM es_docks WHERE id = $1 FOR UPDATE`, id)
	})
}
