package many

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

func A(ctx context.Context, db *sqlx.DB, ids []int64) error {
	q, args, err := sqlx.In(`UPDATE ma_items SET state = 'done' WHERE id IN (?)`, ids)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, db.Rebind(q), args...) // want unordered-multi-row-lock "UPDATE locks several rows of \"ma_items\" in no fixed order"
	return err
}

type MbItem struct {
	ID    int64
	State string
	Owner int64
}

func (MbItem) TableName() string { return "mb_items" }

func B(db *gorm.DB, ids []int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var items []MbItem
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id IN ?", ids).Find(&items).Error; err != nil { // want unordered-multi-row-lock "a locking clause locks several rows of \"mb_items\" in no fixed order"
			return err
		}
		return tx.Model(&MbItem{}).Where("id IN ?", ids).Update("state", "done").Error // want unordered-multi-row-lock "UPDATE locks several rows of \"mb_items\" in no fixed order"
	})
}

type McItem struct {
	ID    int64
	State string
	Owner int64
}

func (McItem) TableName() string { return "mc_items" }

func BGood(db *gorm.DB, ids []int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var items []McItem
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id IN ?", ids).Order("id").Find(&items).Error; err != nil {
			return err
		}
		return tx.Model(&McItem{}).Where("id IN ?", ids).Update("state", "done").Error
	})
}

type Pair struct{ A, B int64 }

// multi-VALUES from caller's slice, Sprintf and Join
func D(ctx context.Context, db *sql.DB, ps []Pair) error {
	var vals []string
	var args []any
	for i, p := range ps {
		vals = append(vals, fmt.Sprintf("($%d,$%d,1)", i*2+1, i*2+2))
		args = append(args, p.A, p.B)
	}
	_, err := db.ExecContext(ctx, "INSERT INTO md_items (a, b, n) VALUES "+strings.Join(vals, ",")+" ON CONFLICT (a, b) DO UPDATE SET n = md_items.n + 1", args...) // want unordered-multi-row-lock "INSERT locks several rows of \"md_items\" in no fixed order"
	return err
}

func DGood(ctx context.Context, db *sql.DB, ps []Pair) error {
	sort.Slice(ps, func(i, j int) bool {
		if ps[i].A != ps[j].A {
			return ps[i].A < ps[j].A
		}
		return ps[i].B < ps[j].B
	})
	var vals []string
	var args []any
	for i, p := range ps {
		vals = append(vals, fmt.Sprintf("($%d,$%d,1)", i*2+1, i*2+2))
		args = append(args, p.A, p.B)
	}
	_, err := db.ExecContext(ctx, "INSERT INTO me_items (a, b, n) VALUES "+strings.Join(vals, ",")+" ON CONFLICT (a, b) DO UPDATE SET n = me_items.n + 1", args...)
	return err
}

// unnest arrays
func F(ctx context.Context, pool *pgxpool.Pool, as, bs []int64) error {
	_, err := pool.Exec(ctx, `INSERT INTO mf_items (a, b, n) SELECT u.a, u.b, 1 FROM unnest($1::bigint[], $2::bigint[]) AS u(a, b) ON CONFLICT (a, b) DO UPDATE SET n = mf_items.n + 1`, as, bs) // want unordered-multi-row-lock "INSERT locks several rows of \"mf_items\" in no fixed order"
	return err
}

type MgItem struct {
	ID int64
	V  string
}

func (MgItem) TableName() string { return "mg_items" }

func G(db *gorm.DB, items []MgItem) error {
	return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"v"})}).Create(&items).Error // want unordered-multi-row-lock "INSERT locks several rows of \"mg_items\" in no fixed order"
}

type MhItem struct {
	ID int64
	V  string
}

func (MhItem) TableName() string { return "mh_items" }

func GGood(db *gorm.DB, items []MhItem) error {
	slices.SortFunc(items, func(a, b MhItem) int { return cmp.Compare(a.ID, b.ID) })
	return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"v"})}).Create(&items).Error
}

type MiItem struct {
	bun.BaseModel `bun:"table:mi_items"`
	ID            int64 `bun:",pk"`
	V             string
}

func I(ctx context.Context, db *bun.DB, items []*MiItem) error {
	_, err := db.NewInsert().Model(&items).On("CONFLICT (id) DO UPDATE").Set("v = EXCLUDED.v").Exec(ctx) // want unordered-multi-row-lock "INSERT locks several rows of \"mi_items\" in no fixed order"
	return err
}

func J(ctx context.Context, db *bun.DB, ids []int64) error {
	_, err := db.NewDelete().Table("mj_items").Where("id IN (?)", bun.In(ids)).Exec(ctx) // want unordered-multi-row-lock "DELETE locks several rows of \"mj_items\" in no fixed order"
	return err
}

// claim without skip, joined
const claim = `-- name: ClaimJobs :many
UPDATE mk_jobs SET state = 'running', worker_id = $1
WHERE id IN (SELECT j.id FROM mk_jobs j JOIN mk_workers w ON w.id = j.worker_id WHERE j.queue = $2 ORDER BY j.id LIMIT $3 FOR UPDATE SKIP LOCKED)
RETURNING id`

type Queries struct{ db DBTX }
type DBTX interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
	QueryRow(context.Context, string, ...any) pgx.Row
}

func New(db DBTX) *Queries                   { return &Queries{db: db} }
func (q *Queries) WithTx(tx pgx.Tx) *Queries { return &Queries{db: tx} }
func (q *Queries) ClaimJobs(ctx context.Context, w int64, queue string, n int) ([]int64, error) {
	rows, err := q.db.Query(ctx, claim, w, queue, n) // want for-update-join-scope "FOR UPDATE without OF locks, or skips for, rows of \"mk_jobs\" and \"mk_workers\""
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

const claimGood = `-- name: ClaimGood :many
UPDATE ml_jobs SET state = 'running', worker_id = $1
WHERE id IN (SELECT j.id FROM ml_jobs j JOIN ml_workers w ON w.id = j.worker_id WHERE j.queue = $2 ORDER BY j.id LIMIT $3 FOR UPDATE OF j SKIP LOCKED)
RETURNING id`

func (q *Queries) ClaimGood(ctx context.Context, w int64, queue string, n int) ([]int64, error) {
	rows, err := q.db.Query(ctx, claimGood, w, queue, n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

const redeem = `SELECT used FROM mm_codes WHERE code = $1 FOR UPDATE SKIP LOCKED`

func Redeem(ctx context.Context, pool *pgxpool.Pool, code string) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var used bool
		if err := tx.QueryRow(ctx, redeem, code).Scan(&used); err != nil { // want skip-locked-by-key "SKIP LOCKED in a lookup of row \"mm_codes\" by key"
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE mm_codes SET used = true WHERE code = $1`, code)
		return err
	})
}

type MnCode struct {
	Code string `gorm:"primaryKey"`
	Used bool
}

func (MnCode) TableName() string { return "mn_codes" }

func RedeemG(db *gorm.DB, code string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var c MnCode
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).First(&c, "code = ?", code).Error; err != nil { // want skip-locked-by-key "SKIP LOCKED in a lookup of row \"mn_codes\" by key"
			return err
		}
		return tx.Model(&c).Update("used", true).Error
	})
}

// advisory in a predicate
func Pick(ctx context.Context, tx *sql.Tx, q string) *sql.Row {
	return tx.QueryRowContext(ctx, `SELECT id FROM mk_jobs WHERE queue = $1 AND pg_try_advisory_xact_lock(901, id::int) LIMIT 1`, q) // want lock-in-predicate "advisory 901, \\$1::integer is taken in a condition"
}

// above a limit
func PickLimit(ctx context.Context, tx pgx.Tx, q string) pgx.Row {
	return tx.QueryRow(ctx, `SELECT id, pg_advisory_xact_lock(902, id::int) FROM mk_jobs WHERE queue = $1 ORDER BY state LIMIT 1`, q) // want lock-in-predicate "advisory 902, \\$1::integer is taken in a condition"
}

func PickGood(ctx context.Context, tx pgx.Tx, q string) pgx.Row {
	return tx.QueryRow(ctx, `SELECT id, pg_advisory_xact_lock(903, id::int) FROM (SELECT id FROM mk_jobs WHERE queue = $1 ORDER BY state LIMIT 1) s`, q)
}

// several advisory locks of one statement
func LockAll(ctx context.Context, tx pgx.Tx, ids []int32) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(904, x) FROM unnest($1::int[]) x`, ids) // want unordered-multi-row-lock "one statement takes several locks advisory 904, \\$1 in no fixed order"
	return err
}

func LockAllGood(ctx context.Context, tx pgx.Tx, ids []int32) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(905, x) FROM (SELECT x FROM unnest($1::int[]) x ORDER BY x) s`, ids)
	return err
}
func LockAllGood2(ctx context.Context, tx pgx.Tx, ids []int32) error {
	slices.Sort(ids)
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(906, x) FROM unnest($1::int[]) x`, ids)
	return err
}

// sqlx writes a row for each element of a slice
type MoPrice struct {
	SKU   string `db:"sku"`
	Cents int    `db:"cents"`
}

func PutPrices(ctx context.Context, tx *sqlx.Tx, ps []MoPrice) error {
	_, err := tx.NamedExecContext(ctx, `INSERT INTO mo_prices (sku, cents) VALUES (:sku, :cents) ON CONFLICT (sku) DO UPDATE SET cents = excluded.cents`, ps) // want unordered-multi-row-lock "INSERT locks several rows of \"mo_prices\" in no fixed order"
	return err
}

func PutPrice(ctx context.Context, tx *sqlx.Tx, p MoPrice) error {
	_, err := tx.NamedExecContext(ctx, `INSERT INTO mo_prices (sku, cents) VALUES (:sku, :cents) ON CONFLICT (sku) DO UPDATE SET cents = excluded.cents`, p)
	return err
}

func PutSorted(ctx context.Context, tx *sqlx.Tx, ps []MoPrice) error {
	slices.SortFunc(ps, func(a, b MoPrice) int { return cmp.Compare(a.SKU, b.SKU) })
	_, err := tx.NamedExecContext(ctx, `INSERT INTO mo_prices (sku, cents) VALUES (:sku, :cents) ON CONFLICT (sku) DO UPDATE SET cents = excluded.cents`, ps)
	return err
}

// parts of a slice have its order
func PutChunks(ctx context.Context, tx *sqlx.Tx, ps []MoPrice, size int) error {
	slices.SortFunc(ps, func(a, b MoPrice) int { return cmp.Compare(a.SKU, b.SKU) })
	for i := 0; i < len(ps); i += size {
		if _, err := tx.NamedExecContext(ctx, `INSERT INTO mo_prices (sku, cents) VALUES (:sku, :cents) ON CONFLICT (sku) DO UPDATE SET cents = excluded.cents`, ps[i:min(i+size, len(ps))]); err != nil {
			return err
		}
	}
	return nil
}

func PutIterated(ctx context.Context, tx *sqlx.Tx, ps []MoPrice) error {
	slices.SortFunc(ps, func(a, b MoPrice) int { return cmp.Compare(a.SKU, b.SKU) })
	for part := range slices.Chunk(ps, 100) {
		if _, err := tx.NamedExecContext(ctx, `INSERT INTO mo_prices (sku, cents) VALUES (:sku, :cents) ON CONFLICT (sku) DO UPDATE SET cents = excluded.cents`, part); err != nil {
			return err
		}
	}
	return nil
}

func PutParts(ctx context.Context, tx *sqlx.Tx, ps []MoPrice, size int) error {
	slices.SortFunc(ps[:size], func(a, b MoPrice) int { return cmp.Compare(a.SKU, b.SKU) })
	_, err := tx.NamedExecContext(ctx, `INSERT INTO mo_prices (sku, cents) VALUES (:sku, :cents) ON CONFLICT (sku) DO UPDATE SET cents = excluded.cents`, ps) // want unordered-multi-row-lock "INSERT locks several rows of \"mo_prices\" in no fixed order"
	return err
}

// steps that each turn of a loop adds, and steps whose result nobody uses
func PickBun(ctx context.Context, tx bun.Tx, skus []string) error {
	q := tx.NewSelect().Table("mo_prices").Column("sku").Where("cents > ?", 0)
	for _, s := range skus {
		q = q.Where("sku <> ?", s)
	}
	q.For("UPDATE")
	return q.Scan(ctx)
}
