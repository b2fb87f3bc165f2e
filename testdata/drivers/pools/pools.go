// Package pools has pools that one function opens, and structs that are given
// one pool.
package pools

import (
	"context"
	"database/sql"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func open(dsn string, most int) (*sql.DB, error) {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	return db, nil
}

type locker struct{ db *sql.DB }

func (l *locker) with(ctx context.Context, fn func() error) error {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(5101)`); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(5101)`)
	return fn()
}

type store struct{ db *sql.DB }

func (s *store) save(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil) // want pool-nested-acquire "a transaction is begun on the pool while One\\$1 has a connection of it pinned"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE pi_things SET n = n + 1 WHERE id = $1`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// One gives one pool to both.
func One(ctx context.Context) error {
	db, err := open(os.Getenv("DSN"), 32)
	if err != nil {
		return err
	}
	l, s := &locker{db}, &store{db}
	return l.with(ctx, func() error { return s.save(ctx, 1) })
}

type ownLocker struct{ db *sql.DB }

func (l *ownLocker) with(ctx context.Context, fn func() error) error {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(5102)`); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(5102)`)
	return fn()
}

type ownStore struct{ db *sql.DB }

func (s *ownStore) save(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE pi_things SET n = n + 1 WHERE id = $1`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Two opens a pool for each.
func Two(ctx context.Context) error {
	locks, err := open(os.Getenv("DSN"), 4)
	if err != nil {
		return err
	}
	db, err := open(os.Getenv("DSN"), 32)
	if err != nil {
		return err
	}
	l, s := &ownLocker{locks}, &ownStore{db}
	return l.with(ctx, func() error { return s.save(ctx, 2) })
}

// Within does so in one function.
func Within(ctx context.Context) error {
	locks, err := open(os.Getenv("DSN"), 4)
	if err != nil {
		return err
	}
	db, err := open(os.Getenv("DSN"), 32)
	if err != nil {
		return err
	}
	conn, err := locks.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE pi_things SET n = n + 1 WHERE id = 3`); err != nil {
		return err
	}
	return tx.Commit()
}

type unit struct{ pool *pgxpool.Pool }

func (u *unit) do(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, u.pool, fn)
}

type repo struct{ pool *pgxpool.Pool }

func (r *repo) add(ctx context.Context, id int64) error {
	return pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error { // want pool-nested-acquire "a transaction is begun on the pool while Add\\$1 has a transaction of it open"
		_, err := tx.Exec(ctx, `UPDATE pi_things SET n = n + 1 WHERE id = $1`, id)
		return err
	})
}

type Service struct {
	unit *unit
	repo *repo
}

// New gives both the pool that the caller gives.
func New(pool *pgxpool.Pool) *Service { return &Service{&unit{pool}, &repo{pool}} }

func (s *Service) Add(ctx context.Context, id int64) error {
	return s.unit.do(ctx, func(pgx.Tx) error { return s.repo.add(ctx, id) })
}

// A named is a pool with a name, as a wrapper of a pool often is.
type named struct {
	*sql.DB
	name string
}

func openNamed(name string) (*named, error) {
	db, err := sql.Open("pgx", os.Getenv(name))
	if err != nil {
		return nil, err
	}
	return &named{db, name}, nil
}

func (n *named) inTx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := n.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

type sync struct{ from, to *named }

// move works in two pools at once, both opened by one function.
func (s *sync) move(ctx context.Context) error {
	return s.from.inTx(ctx, func(out *sql.Tx) error {
		return s.to.inTx(ctx, func(in *sql.Tx) error {
			if _, err := out.ExecContext(ctx, `UPDATE pi_things SET n = n - 1 WHERE id = 4`); err != nil {
				return err
			}
			_, err := in.ExecContext(ctx, `UPDATE pj_things SET n = n + 1 WHERE id = 4`)
			return err
		})
	})
}

// Sync is given pools that main opens.
func Sync(ctx context.Context) error {
	from, err := openNamed("SOURCE")
	if err != nil {
		return err
	}
	to, err := openNamed("TARGET")
	if err != nil {
		return err
	}
	return (&sync{from, to}).move(ctx)
}
