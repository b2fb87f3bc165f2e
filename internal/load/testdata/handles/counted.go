package handles

import (
	"context"
	"database/sql"
	"strings"
)

type meter interface{ count(func() error) error }

type calls struct{ n int }

func (c *calls) count(f func() error) error {
	c.n++
	return f()
}

// A countedDB counts what it runs; what it begins counts too.
type countedDB struct {
	db    *sql.DB
	meter meter
}

type countedTx struct {
	tx    *sql.Tx
	meter meter
}

func (c *countedDB) begin(ctx context.Context) (*countedTx, error) {
	var inner *sql.Tx
	err := c.meter.count(func() error {
		var err error
		inner, err = c.db.BeginTx(ctx, nil)
		return err
	})
	return &countedTx{tx: inner, meter: c.meter}, err
}

func (t *countedTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return t.tx.ExecContext(ctx, query, args...)
}

func (t *countedTx) end(ok bool) error {
	if ok {
		return t.meter.count(t.tx.Commit)
	}
	return t.meter.count(t.tx.Rollback)
}

func (c *countedDB) inTx(ctx context.Context, f func(*countedTx) error) error {
	tx, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.end(false)
	if err := f(tx); err != nil {
		return err
	}
	return tx.end(true)
}

// numbered puts numbers in the place of question marks.
func numbered(query string) string {
	parts := strings.Split(query, "?")
	for i := 1; i < len(parts); i++ {
		parts[i-1] += "$" + string(rune('0'+i))
	}
	return strings.Join(parts, "")
}

// handle: tx transaction
func counted(ctx context.Context, q querier, table string) error {
	_, err := q.ExecContext(ctx, numbered("SELECT 1 FROM "+table+" WHERE id = ? FOR UPDATE"), 9)
	return err
}

func Counted(ctx context.Context, db *sql.DB) error {
	c := &countedDB{db: db, meter: &calls{}}
	return c.inTx(ctx, func(tx *countedTx) error { return counted(ctx, tx, "jobs") })
}

// handle: tx transaction
func CountedHere(ctx context.Context, m meter, db *sql.DB) error {
	var tx *sql.Tx
	begin := func() (err error) {
		tx, err = db.BeginTx(ctx, nil)
		return err
	}
	if err := m.count(begin); err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 10 FOR UPDATE"); err != nil {
		return err
	}
	return tx.Commit()
}
