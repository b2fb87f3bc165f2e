package pool

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"
)

// 1 gorm: s.db inside Transaction
type Store struct{ db *gorm.DB }

func (s *Store) name(id int64) (n int, err error) {
	err = s.db.Raw(`SELECT n FROM pa_rows WHERE id = ?`, id).Scan(&n).Error // want pool-in-tx "a statement runs on the handle on which Rename has begun a transaction, not on the transaction"
	return
}

func (s *Store) Rename(id int64) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(`UPDATE pa_rows SET n = 1 WHERE id = ?`, id).Error; err != nil {
			return err
		}
		_, err := s.name(id)
		return err
	})
}

// 2 sqlx: self-deadlock, write on pool to the row locked
func Self(ctx context.Context, db *sqlx.DB, id int64) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM pb_rows WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `UPDATE pb_rows SET n = 2 WHERE id = $1`, id); err != nil { // want pool-in-tx "a statement runs on the pool while Self has a transaction of the same pool open" self-deadlock "row \"pb_rows\""
		return err
	}
	return tx.Commit()
}

// 3 bun: nested RunInTx on the db
func Outer(ctx context.Context, db *bun.DB) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE pc_rows SET n = 1 WHERE id = 1`); err != nil {
			return err
		}
		return inner(ctx, db)
	})
}

func inner(ctx context.Context, db *bun.DB) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { // want pool-nested-acquire "a transaction is begun on the pool while Outer has a transaction of it open"
		_, err := tx.ExecContext(ctx, `UPDATE pc_rows SET n = 2 WHERE id = 2`)
		return err
	})
}

// 4 errgroup goroutines each take a connection while tx open
func Fan(ctx context.Context, pool *pgxpool.Pool, ids []int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `UPDATE pd_rows SET n = 0 WHERE id = 1`); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, id := range ids {
		g.Go(func() error {
			_, err := pool.Exec(ctx, `UPDATE pd_rows SET n = 1 WHERE id = $1`, id) // want pool-in-tx "a statement runs on the pool while Fan has a transaction of the same pool open"
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// 5 rows open while another query on the pool, in a loop (database/sql)
func Rows(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `SELECT id FROM pe_rows ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, `UPDATE pe_rows SET n = 1 WHERE id = $1`, id); err != nil {
			return err
		}
	}
	return rows.Err()
}

// 6 interface dependency: repo keeps pool
type Names interface {
	Name(ctx context.Context, id int64) (int, error)
}
type pgNames struct{ pool *pgxpool.Pool }

func (p *pgNames) Name(ctx context.Context, id int64) (n int, err error) {
	err = p.pool.QueryRow(ctx, `SELECT n FROM pf_rows WHERE id = $1`, id).Scan(&n) // want pool-in-tx "a statement runs on the pool while Do has a transaction of the same pool open"
	return n, err
}

type Service struct {
	pool  *pgxpool.Pool
	names Names
}

func NewService(pool *pgxpool.Pool) *Service { return &Service{pool: pool, names: &pgNames{pool}} }

func (s *Service) Do(ctx context.Context, id int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE pf_rows SET n = 3 WHERE id = $1`, id); err != nil {
			return err
		}
		_, err := s.names.Name(ctx, id)
		return err
	})
}

// 7 good: after commit
func (s *Service) DoGood(ctx context.Context, id int64) error {
	if err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE pg_rows SET n = 3 WHERE id = $1`, id)
		return err
	}); err != nil {
		return err
	}
	_, err := s.names.Name(ctx, id)
	return err
}

// 8 two pools: fine
type Two struct{ main, audit *pgxpool.Pool }

func (t *Two) Do(ctx context.Context, id int64) error {
	tx, err := t.main.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `UPDATE ph_rows SET n = 3 WHERE id = $1`, id); err != nil {
		return err
	}
	if _, err := t.audit.Exec(ctx, `INSERT INTO audit_log (row) VALUES ($1)`, id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
