// Package gaps locks in functions that also use a module that cannot be had.
package gaps

import (
	"context"
	"database/sql"
	"fmt"

	"example.test/missing/log"
	"example.test/missing/xdr"
)

type Store struct {
	db     *sql.DB
	logger log.Logger
}

func lock(ctx context.Context, tx *sql.Tx, id int64) (string, error) {
	var state string
	err := tx.QueryRowContext(ctx, "SELECT state FROM jobs WHERE id = $1 FOR UPDATE", id).Scan(&state)
	return state, err
}

func (s *Store) Statement(ctx context.Context, tx *sql.Tx) error {
	log.Ctx(ctx).Info("locking")
	_, err := lock(ctx, tx, 1)
	s.logger.Info("locked")
	return err
}

func If(ctx context.Context, tx *sql.Tx) error {
	if v := log.Level(); v > 3 {
		return log.Errorf("level %d", v)
	} else if log.Quiet() {
		_, err := lock(ctx, tx, 2)
		return err
	}
	return nil
}

func Loop(ctx context.Context, tx *sql.Tx) error {
	for i := log.First(); i < log.Last(); i++ {
		if _, err := lock(ctx, tx, 3); err != nil {
			return err
		}
	}
	return nil
}

func Range(ctx context.Context, tx *sql.Tx) error {
	for i, entry := range xdr.Entries() {
		if i > 10 {
			break
		}
		if _, err := lock(ctx, tx, entry.ID()); err != nil {
			return err
		}
	}
	return nil
}

func Switch(ctx context.Context, tx *sql.Tx) error {
	switch log.Level() {
	case log.Debug, log.Trace:
		return nil
	default:
		_, err := lock(ctx, tx, 4)
		return err
	}
}

func TypeSwitch(ctx context.Context, tx *sql.Tx, v any) error {
	switch v := v.(type) {
	case xdr.Entry:
		_, err := lock(ctx, tx, v.ID())
		return err
	case int64:
		_, err := lock(ctx, tx, v)
		return err
	}
	return nil
}

func Select(ctx context.Context, tx *sql.Tx) error {
	select {
	case e := <-xdr.Stream():
		log.Info(e)
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := lock(ctx, tx, 5)
	return err
}

func Argument(ctx context.Context, tx *sql.Tx) error {
	id, failed := xdr.Parse("x")
	if failed != nil {
		return failed
	}
	state, err := lock(ctx, tx, id)
	log.Info(state)
	return err
}

func Inside(ctx context.Context, tx *sql.Tx) (string, error) {
	return log.Wrap(lock(ctx, tx, 6))
}

func Result(ctx context.Context, tx *sql.Tx) (e xdr.Entry, err error) {
	var none xdr.Entry
	if _, err := lock(ctx, tx, 7); err != nil {
		return none, fmt.Errorf("locking: %w", log.Wrap(err))
	}
	return none, nil
}

func Parameter(ctx context.Context, tx *sql.Tx, e xdr.Entry) error {
	_, err := lock(ctx, tx, e.ID())
	return err
}

func Handed(ctx context.Context, tx *sql.Tx) error {
	return Parameter(ctx, tx, xdr.Entry{})
}

func Callback(ctx context.Context, tx *sql.Tx) error {
	return log.Retry(ctx, func(ctx context.Context) error {
		_, err := lock(ctx, tx, 8)
		return err
	})
}

func Closure(ctx context.Context, tx *sql.Tx) error {
	do := func() error {
		log.Info("closure")
		_, err := lock(ctx, tx, 9)
		return err
	}
	defer log.Info("done")
	defer func() { log.Info("done") }()
	return do()
}

func Literal(ctx context.Context, tx *sql.Tx) error {
	job := struct {
		level int
		run   func() error
	}{level: log.Level(), run: func() error {
		_, err := lock(ctx, tx, 10)
		return err
	}}
	return job.run()
}

func Labelled(ctx context.Context, tx *sql.Tx) error {
again:
	for range log.Tries() {
		if _, err := lock(ctx, tx, 11); log.Temporary(err) {
			continue again
		}
		break again
	}
	var n, m = log.Level(), 2
	n, m = m, log.Level()
	_ = n
	log.Sink <- m
	go log.Flush(m)
	return nil
}
