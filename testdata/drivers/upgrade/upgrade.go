package upgrade

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

type Room struct {
	ID    int64
	Seats int
}

func (Room) TableName() string { return "ua_rooms" }

func A(db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var r Room
		if err := tx.Clauses(clause.Locking{Strength: "SHARE"}).First(&r, id).Error; err != nil {
			return err
		}
		r.Seats--
		return tx.Save(&r).Error // want lock-upgrade "row \"ua_rooms\" raised from FOR SHARE to FOR NO KEY UPDATE in one transaction"
	})
}

func B(ctx context.Context, db *sqlx.DB, room int64) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO ub_books (id, room_id) VALUES (nextval('s'), $1)`, room); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM ub_rooms WHERE id = $1 AND seats = 0`, room); err != nil { // want lock-upgrade "row \"ub_rooms\" raised from FOR KEY SHARE, taken by the foreign key of \"ub_books\", to FOR UPDATE in one transaction"
		return err
	}
	return tx.Commit()
}

func BGood(ctx context.Context, db *sqlx.DB, room int64) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO uc_books (id, room_id) VALUES (nextval('s'), $1)`, room); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE uc_rooms SET seats = seats - 1 WHERE id = $1`, room); err != nil {
		return err
	}
	return tx.Commit()
}

// advisory shared then exclusive
func shared(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared(8100, $1::int)`, id) // want key-overflow "an int64 is given to a lock of two int4, advisory 8100, \\$1::integer"
	return err
}
func exclusive(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(8100, $1::int)`, id) // want key-overflow "an int64 is given to a lock of two int4, advisory 8100, \\$1::integer" lock-upgrade "advisory 8100, \\$1::integer raised from shared to exclusive in one transaction"
	return err
}

func C(ctx context.Context, pool *pgxpool.Pool, id int64, need func() bool) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := shared(ctx, tx, id); err != nil {
			return err
		}
		if need() {
			return exclusive(ctx, tx, id)
		}
		return nil
	})
}

// table lock upgrade
func D(ctx context.Context, db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`LOCK TABLE ud_rooms IN SHARE MODE`); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE ud_rooms SET seats = 0`); err != nil { // want lock-upgrade "lock on relation \"ud_rooms\" raised from SHARE to ROW EXCLUSIVE in one transaction"
		return err
	}
	return tx.Commit()
}

func DGood(ctx context.Context, db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`LOCK TABLE ue_rooms IN SHARE ROW EXCLUSIVE MODE`); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE ue_rooms SET seats = 0`); err != nil {
		return err
	}
	return tx.Commit()
}

func F(ctx context.Context, db *bun.DB, id int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var n int
		if err := tx.NewSelect().Table("uf_rooms").Column("seats").Where("id = ?", id).For("KEY SHARE").Scan(ctx, &n); err != nil {
			return err
		}
		_, err := tx.NewDelete().Table("uf_rooms").Where("id = ?", id).Exec(ctx) // want lock-upgrade "row \"uf_rooms\" raised from FOR KEY SHARE to FOR UPDATE in one transaction"
		return err
	})
}

// key share then no key update: fine
func G(ctx context.Context, tx pgx.Tx, id int64) error {
	if _, err := tx.Exec(ctx, `SELECT 1 FROM ug_rooms WHERE id = $1 FOR KEY SHARE`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE ug_rooms SET seats = 1 WHERE id = $1`, id)
	return err
}
