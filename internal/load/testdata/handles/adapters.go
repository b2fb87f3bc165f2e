package handles

import (
	"context"
	"database/sql"
	"fmt"
)

// A Statement is a text and what it is given.
type Statement struct {
	Text string
	Args []any
}

// A Schema makes the statements of a queue. Who uses this package chooses one.
type Schema interface {
	Create(topic string) ([]Statement, error)
	Next(topic string) (Statement, error)
}

// Plain is the schema that this package itself uses.
type Plain struct{}

func (Plain) Create(topic string) ([]Statement, error) {
	return []Statement{{Text: "SELECT 1"}}, nil
}

// handle: tx transaction
func (p Plain) Next(topic string) (Statement, error) {
	return Statement{Text: "SELECT id FROM plain LIMIT 1 FOR UPDATE", Args: []any{topic}}, nil
}

// Locking is a schema for others.
type Locking struct{ Key int }

// handle: tx transaction
func (l Locking) Create(topic string) ([]Statement, error) {
	all := []Statement{{Text: "SELECT 2"}}
	return append([]Statement{{Text: fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", l.Key)}}, all...), nil
}

// handle: tx transaction
func (l Locking) Next(topic string) (Statement, error) {
	return Statement{Text: "SELECT id FROM locking LIMIT 1 FOR UPDATE SKIP LOCKED"}, nil
}

// A Config says what a Queue uses.
type Config struct{ Schema Schema }

func (c *Config) defaults() {
	if c.Schema == nil {
		c.Schema = Plain{}
	}
}

type Queue struct {
	db     *sql.DB
	config Config
}

func NewQueue(db *sql.DB, config Config) *Queue {
	config.defaults()
	return &Queue{db: db, config: config}
}

func (q *Queue) Start(ctx context.Context, topic string) error {
	all, err := q.config.Schema.Create(topic)
	if err != nil {
		return err
	}
	return q.inTx(ctx, func(tx *sql.Tx) error { return create(ctx, tx, all) })
}

func create(ctx context.Context, q querier, all []Statement) error {
	for _, s := range all {
		if _, err := q.ExecContext(ctx, s.Text, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) Take(ctx context.Context, topic string) error {
	return q.inTx(ctx, func(tx *sql.Tx) error {
		next, err := q.config.Schema.Next(topic)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, next.Text, next.Args...)
		return err
	})
}

func (q *Queue) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := q.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
