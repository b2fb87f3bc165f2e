package shop

import (
	"context"
	"database/sql"
	"strings"
)

// A query is put together by its methods.
type query struct {
	text string
	args []any
}

func (q *query) where(cond string, args ...any) *query {
	q.text += " WHERE " + cond
	q.args = append(q.args, args...)
	return q
}

func (q *query) lock() *query {
	q.text += " FOR UPDATE"
	return q
}

func (q *query) sql() (string, []any) { return strings.TrimSpace(q.text), q.args }

// Built locks rows in the order of a map, by a query whose methods bring the
// clause and the key.
func Built(ctx context.Context, tx *sql.Tx, jobs map[int64]string) error {
	for id := range jobs {
		q := &query{text: "SELECT id FROM jobs"}
		q.where("id = $1", id)
		q.lock()
		text, args := q.sql()
		if _, err := tx.ExecContext(ctx, text, args...); err != nil { // want unordered-lock-loop "whose order is random"
			return err
		}
	}
	return nil
}
