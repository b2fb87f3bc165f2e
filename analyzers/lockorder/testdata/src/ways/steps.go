package ways

import (
	"context"
	"database/sql"
)

// steps are run one after the other, under a lock: too many to follow each.
var steps = []func(context.Context, *sql.DB) error{step1, step2, step3, step4, step5, step6, step7, step8}

// RunStep runs one step. Nothing says that the steps it leads to hold its
// lock, so what they take is a guess.
func RunStep(ctx context.Context, db *sql.DB, i int) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(901)`); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
	return steps[i](ctx, db)
}

func inTx(ctx context.Context, db *sql.DB, text string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return err
	}
	return tx.Commit()
}

func step1(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, `LOCK TABLE depots, docks IN ACCESS EXCLUSIVE MODE`)
}

func step2(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, `LOCK TABLE depots, docks IN ACCESS EXCLUSIVE MODE`)
}

func step3(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, `LOCK TABLE depots, docks IN ACCESS EXCLUSIVE MODE`)
}

func step4(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, `LOCK TABLE depots, docks IN ACCESS EXCLUSIVE MODE`)
}

func step5(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, `LOCK TABLE depots, docks IN ACCESS EXCLUSIVE MODE`)
}

func step6(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, `LOCK TABLE depots, docks IN ACCESS EXCLUSIVE MODE`)
}

func step7(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, `LOCK TABLE ramps, gates IN ACCESS EXCLUSIVE MODE`)
}

func step8(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, `LOCK TABLE gates, ramps IN ACCESS EXCLUSIVE MODE`) // want lock-order-cycle "table \"ramps\" .* acquired while holding table \"gates\""
}
