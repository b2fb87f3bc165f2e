package order

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// --- 1: sqlx store with methods and a helper closure
type Store struct{ db *sqlx.DB }

func (s *Store) inTx(ctx context.Context, fn func(*sqlx.Tx) error) (err error) {
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tx.Rollback()
			return
		}
		err = tx.Commit()
	}()
	return fn(tx)
}

func (s *Store) Charge(ctx context.Context, wallet, entry int64) error {
	return s.inTx(ctx, func(tx *sqlx.Tx) error {
		var cents int64
		if err := tx.GetContext(ctx, &cents, `SELECT cents FROM oa_wallets WHERE id = $1 FOR UPDATE`, wallet); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE oa_entries SET note = 'x' WHERE id = $1 AND wallet_id = $2`, entry, wallet)
		return err
	})
}

func (s *Store) Annul(ctx context.Context, wallet, entry int64) error {
	return s.inTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.NamedExecContext(ctx, `DELETE FROM oa_entries WHERE id = :id AND wallet_id = :w`, map[string]any{"id": entry, "w": wallet}); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, tx.Rebind(`UPDATE oa_wallets SET cents = cents + 1 WHERE id = ?`), wallet)
		return err
	})
}

func (s *Store) ChargeGood(ctx context.Context, wallet, entry int64) error {
	return s.inTx(ctx, func(tx *sqlx.Tx) error {
		var cents int64
		if err := tx.GetContext(ctx, &cents, `SELECT cents FROM ob_wallets WHERE id = $1 FOR UPDATE`, wallet); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE ob_entries SET note = 'x' WHERE id = $1 AND wallet_id = $2`, entry, wallet)
		return err
	})
}

func (s *Store) AnnulGood(ctx context.Context, wallet, entry int64) error {
	return s.inTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE ob_wallets SET cents = cents + 1 WHERE id = $1`, wallet); err != nil {
			return err
		}
		_, err := tx.NamedExecContext(ctx, `DELETE FROM ob_entries WHERE id = :id AND wallet_id = :w`, map[string]any{"id": entry, "w": wallet})
		return err
	})
}

// --- 2: bun models
type OcTeam struct {
	bun.BaseModel `bun:"table:oc_teams"`
	ID            int64 `bun:",pk"`
	Name          string
}
type OcSeat struct {
	bun.BaseModel `bun:"table:oc_seats"`
	ID            int64 `bun:",pk"`
	TeamID        int64
	Taken         bool
}

func Rename(ctx context.Context, db *bun.DB, team int64, name string) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model((*OcTeam)(nil)).Set("name = ?", name).Where("id = ?", team).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model((*OcSeat)(nil)).Set("taken = false").Where("team_id = ?", team).Exec(ctx)
		return err
	})
}

func TakeSeat(ctx context.Context, db *bun.DB, seat int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var s OcSeat
		if err := tx.NewSelect().Model(&s).Where("id = ?", seat).For("UPDATE").Scan(ctx); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model((*OcTeam)(nil)).Set("name = name").Where("id = ?", s.TeamID).Exec(ctx)
		return err
	})
}

type OdTeam struct {
	bun.BaseModel `bun:"table:od_teams"`
	ID            int64 `bun:",pk"`
	Name          string
}
type OdSeat struct {
	bun.BaseModel `bun:"table:od_seats"`
	ID            int64 `bun:",pk"`
	TeamID        int64
	Taken         bool
}

func RenameGood(ctx context.Context, db *bun.DB, team int64, name string) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model((*OdTeam)(nil)).Set("name = ?", name).Where("id = ?", team).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewSelect().Model((*OdSeat)(nil)).Where("team_id = ?", team).Count(ctx)
		return err
	})
}

func TakeSeatGood(ctx context.Context, db *bun.DB, seat, team int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Model((*OdTeam)(nil)).Set("name = name").Where("id = ?", team).Exec(ctx); err != nil {
			return err
		}
		var s OdSeat
		return tx.NewSelect().Model(&s).Where("id = ?", seat).For("UPDATE").Scan(ctx)
	})
}

// --- 3: gorm cascade delete vs child then parent
type OeProject struct {
	ID    int64
	State string
	Open  int
}

func (OeProject) TableName() string { return "oe_projects" }

type OeTask struct {
	ID        int64
	ProjectID int64
	State     string
}

func (OeTask) TableName() string { return "oe_tasks" }

func DeleteProject(db *gorm.DB, id int64) error {
	return db.Delete(&OeProject{}, id).Error // want fk-cascade-cycle "row \"oe_tasks\""
}

func CloseTask(db *gorm.DB, id, project int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var t OeTask
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&t).Error; err != nil {
			return err
		}
		return tx.Model(&OeProject{}).Where("id = ?", t.ProjectID).Update("open", gorm.Expr("open - 1")).Error
	})
}

// --- 4: three functions, pgx, interface-typed querier
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconnTag, error)
}
type pgconnTag interface{ RowsAffected() int64 }

func lockA(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, `SELECT 1 FROM of_a WHERE id = $1 FOR UPDATE`, id)
	return err
}
func lockB(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, `SELECT 1 FROM of_b WHERE id = $1 FOR NO KEY UPDATE`, id)
	return err
}
func lockC(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, `UPDATE of_c SET n = n + 1 WHERE id = $1`, id) // want lock-order-cycle "row \"of_c\""
	return err
}

type step func(context.Context, pgx.Tx, int64) error

func both(ctx context.Context, pool *pgxpool.Pool, id int64, steps ...step) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	for _, s := range steps {
		if err := s(ctx, tx, id); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

func AB(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	return both(ctx, pool, id, lockA, lockB)
}
func BC(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	return both(ctx, pool, id, lockB, lockC)
}
func CA(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	return both(ctx, pool, id, lockC, lockA)
}

// --- 5: trigger locks parent; other side locks parent then child
func AddAmount(ctx context.Context, db *sql.DB, child, n int64) error {
	_, err := db.ExecContext(ctx, `UPDATE og_child SET amount = amount + $2 WHERE id = $1`, child, n) // want trigger-lock "row \"og_parent\""
	return err
}

func Recount(ctx context.Context, db *sql.DB, parent, child int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT total FROM og_parent WHERE id = $1 FOR UPDATE`, parent); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE og_child SET amount = 0 WHERE id = $1`, child); err != nil {
		return err
	}
	return tx.Commit()
}

// --- 6: SQL function one way, Go the other
func Move(ctx context.Context, pool *pgxpool.Pool, p, c int64) error {
	_, err := pool.Exec(ctx, `SELECT oh_move($1, $2)`, p, c)
	return err
}

func Adjust(ctx context.Context, pool *pgxpool.Pool, p, c int64) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT amount FROM oh_child WHERE id = $1 FOR UPDATE`, c); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE oh_parent SET total = total + 1 WHERE id = $1`, p)
		return err
	})
}

// --- 7: advisory in opposite orders in deferred closures
func lockName(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name) // want lock-order-cycle "advisory oi-file:"
	return err
}

func FileThenQuota(ctx context.Context, tx pgx.Tx, user string) error {
	if err := lockName(ctx, tx, "oi-file:"+user); err != nil {
		return err
	}
	return lockName(ctx, tx, "oi-quota:"+user)
}

func QuotaThenFile(ctx context.Context, tx pgx.Tx, user string) error {
	if err := lockName(ctx, tx, "oi-quota:"+user); err != nil {
		return err
	}
	return lockName(ctx, tx, "oi-file:"+user)
}

// --- 8: LOCK TABLE vs row writes
func Vacate(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `UPDATE ok_orders SET state = 'x' WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `LOCK TABLE ok_stock IN SHARE ROW EXCLUSIVE MODE`)
	return err
}

func Reserve(ctx context.Context, tx *sql.Tx, stock, id int64) error {
	if _, err := tx.ExecContext(ctx, `UPDATE ok_stock SET n = n - 1 WHERE id = $1`, stock); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE ok_orders SET state = 'y' WHERE id = $1`, id)
	return err
}
