// Package ways has orders that look opposite and are not, and one that is.
package ways

import (
	"context"
	"database/sql"
)

// Put either adds an event, which locks its flow, or changes one, which does
// not.
func Put(ctx context.Context, db *sql.DB, flow, key, value string) error {
	_, err := db.ExecContext(ctx, `INSERT INTO events (flow, key, value) VALUES ($1, $2, $3) ON CONFLICT (flow, key) DO UPDATE SET value = EXCLUDED.value`, flow, key, value)
	return err
}

// Drop locks the flow, then its events.
func Drop(ctx context.Context, db *sql.DB, flow string) error {
	_, err := db.ExecContext(ctx, `DELETE FROM flows WHERE id = $1`, flow) // want fk-cascade-cycle "Mark takes them in the opposite order"
	return err
}

type DB interface {
	ExecContext(ctx context.Context, q string, args ...any) (sql.Result, error)
}

// Mark runs on whatever it is given: on a pool it holds nothing in between.
func Mark(ctx context.Context, db DB, flow, key string) error {
	if _, err := db.ExecContext(ctx, `UPDATE events SET value = NULL WHERE flow = $1 AND key = $2`, flow, key); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE flows SET state = 'marked' WHERE id = $1`, flow)
	return err
}
