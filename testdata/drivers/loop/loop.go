package loop

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"sort"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Line struct {
	SKU string
	N   int
}

// caller's slice, sqlx prepared
func A(ctx context.Context, db *sqlx.DB, lines []Line) error {
	tx := db.MustBeginTx(ctx, nil)
	defer tx.Rollback()
	st, err := tx.PreparexContext(ctx, `UPDATE la_stock SET n = n - $2 WHERE sku = $1`)
	if err != nil {
		return err
	}
	defer st.Close()
	for _, l := range lines {
		if _, err := st.ExecContext(ctx, l.SKU, l.N); err != nil { // want unordered-lock-loop "row \"la_stock\" is taken for each element of lines"
			return err
		}
	}
	return tx.Commit()
}

// struct field slice sorted by helper method
type Order struct{ lines []Line }

func (o *Order) sortLines() {
	sort.Slice(o.lines, func(i, j int) bool { return o.lines[i].SKU < o.lines[j].SKU })
}

func BGood(ctx context.Context, db *sql.DB, o *Order) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	o.sortLines()
	for _, l := range o.lines {
		if _, err := tx.ExecContext(ctx, `UPDATE lb_stock SET n = n - $2 WHERE sku = $1`, l.SKU, l.N); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// keys of map, unsorted
func C(ctx context.Context, pool *pgxpool.Pool, m map[string]int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for _, k := range slices.Collect(maps.Keys(m)) {
			if _, err := tx.Exec(ctx, `SELECT 1 FROM lc_stock WHERE sku = $1 FOR UPDATE`, k); err != nil { // want unordered-lock-loop "row \"lc_stock\" is taken for each element of slices\\.Collect\\(maps\\.Keys\\(m\\)\\)"
				return err
			}
		}
		return nil
	})
}

func CGood(ctx context.Context, pool *pgxpool.Pool, m map[string]int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if _, err := tx.Exec(ctx, `SELECT 1 FROM ld_stock WHERE sku = $1 FOR UPDATE`, k); err != nil {
				return err
			}
		}
		return nil
	})
}

// keys appended then sorted with sort.Strings
func CGood2(ctx context.Context, pool *pgxpool.Pool, m map[string]int) error {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for i := 0; i < len(keys); i++ {
			if _, err := tx.Exec(ctx, `SELECT 1 FROM le_stock WHERE sku = $1 FOR UPDATE`, keys[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// range over query result without ORDER BY, gorm
type LfStock struct {
	SKU string `gorm:"primaryKey;column:sku"`
	N   int
}

func (LfStock) TableName() string { return "lf_stock" }

func F(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var rows []LfStock
		if err := tx.Where("n < 0").Find(&rows).Error; err != nil {
			return err
		}
		for i := range rows {
			if err := tx.Model(&LfStock{}).Where("sku = ?", rows[i].SKU).Update("n", 0).Error; err != nil { // want unordered-lock-loop "row \"lf_stock\" is taken for each element of rows, whose query has no ORDER BY"
				return err
			}
		}
		return nil
	})
}

type LgStock struct {
	SKU string `gorm:"primaryKey;column:sku"`
	N   int
}

func (LgStock) TableName() string { return "lg_stock" }

func FGood(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var rows []LgStock
		if err := tx.Where("n < 0").Order("sku").Find(&rows).Error; err != nil {
			return err
		}
		for _, r := range rows {
			if err := tx.Model(&LgStock{}).Where("sku = ?", r.SKU).Update("n", 0).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

// channel
func H(ctx context.Context, tx pgx.Tx, ch <-chan string) error {
	for k := range ch {
		if _, err := tx.Exec(ctx, `UPDATE lh_stock SET n = n + 1 WHERE sku = $1`, k); err != nil { // want unordered-lock-loop "row \"lh_stock\" is taken for each element of ch"
			return err
		}
	}
	return nil
}

// each in own transaction: fine
func IGood(ctx context.Context, pool *pgxpool.Pool, keys []string) error {
	for _, k := range keys {
		if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE li_stock SET n = n + 1 WHERE sku = $1`, k)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// from and to of a transfer, by helper, two calls
func lockRow(ctx context.Context, tx *sql.Tx, sku string) error {
	var n int
	return tx.QueryRowContext(ctx, `SELECT n FROM lj_stock WHERE sku = $1 FOR UPDATE`, sku).Scan(&n) // want unordered-lock-loop "row \"lj_stock\" is taken for each element of \\[\\]string\\{from, to\\}"
}

func Transfer(ctx context.Context, tx *sql.Tx, from, to string) error {
	for _, s := range []string{from, to} {
		if err := lockRow(ctx, tx, s); err != nil {
			return err
		}
	}
	return nil
}

func TransferGood(ctx context.Context, tx *sql.Tx, from, to string) error {
	a, b := min(from, to), max(from, to)
	for _, s := range []string{a, b} {
		if _, err := tx.ExecContext(ctx, `UPDATE lk_stock SET n = 1 WHERE sku = $1`, s); err != nil {
			return err
		}
	}
	return nil
}

// bun loop over map values
func L(ctx context.Context, db *bun.DB, m map[string]*Line) error {
	return db.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		for _, l := range m {
			if _, err := tx.ExecContext(ctx, "UPDATE ll_stock SET n = ? WHERE sku = ?", l.N, l.SKU); err != nil { // want unordered-lock-loop "row \"ll_stock\" is taken for each element of m, whose order is random"
				return err
			}
		}
		return nil
	})
}

// constant statements list
func MGood(ctx context.Context, tx pgx.Tx) error {
	for _, s := range []string{
		`UPDATE lm_stock SET n = 1 WHERE sku = 'a'`,
		`UPDATE lm_stock SET n = 2 WHERE sku = 'b'`,
	} {
		if _, err := tx.Exec(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// sort key part of key
type E struct {
	Src, Dst int64
	Kind     string
	N        int
}

func Put(ctx context.Context, db *sqlx.DB, es []E) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	slices.SortFunc(es, func(a, b E) int { return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst)) })
	for _, e := range es {
		if _, err := tx.Exec(`INSERT INTO ln_a (src, dst, kind, n) VALUES ($1, $2, $3, $4) ON CONFLICT (src, dst, kind) DO UPDATE SET n = EXCLUDED.n`, e.Src, e.Dst, e.Kind, e.N); err != nil { // want inconsistent-lock-order "row \"ln_a\" is taken for each element of es, sorted by src, dst but not by kind"
			return err
		}
	}
	return tx.Commit()
}

func PutGood(ctx context.Context, db *sqlx.DB, es []E) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	sort.Slice(es, func(i, j int) bool {
		a, b := es[i], es[j]
		switch {
		case a.Src != b.Src:
			return a.Src < b.Src
		case a.Dst != b.Dst:
			return a.Dst < b.Dst
		}
		return a.Kind < b.Kind
	})
	for _, e := range es {
		if _, err := tx.Exec(`INSERT INTO ln_b (src, dst, kind, n) VALUES ($1, $2, $3, $4) ON CONFLICT (src, dst, kind) DO UPDATE SET n = EXCLUDED.n`, e.Src, e.Dst, e.Kind, e.N); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// two orders of one class: by rank and by id
func ByRank(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT id FROM ln_c WHERE n > 0 ORDER BY rank FOR UPDATE`) // want inconsistent-lock-order "rows of \"ln_c\" are locked in the order of rank; ByID locks them in the order of id"
		return err
	})
}
func ByID(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT id FROM ln_c WHERE n > 0 ORDER BY id FOR UPDATE`)
		return err
	})
}

type LnD struct {
	ID   int64
	Rank int
	N    int
}

func (LnD) TableName() string { return "ln_d" }

// sorted descending in Go, ascending in SQL
func Desc(ctx context.Context, tx pgx.Tx, ids []int64) error {
	sort.Slice(ids, func(i, j int) bool { return ids[i] > ids[j] })
	for _, id := range ids {
		if _, err := tx.Exec(ctx, `UPDATE ln_d SET n = n + 1 WHERE id = $1`, id); err != nil { // want inconsistent-lock-order "rows of \"ln_d\" are locked in the order of id desc; Asc locks them in the order of id"
			return err
		}
	}
	return nil
}

func Asc(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var ds []LnD
		if err := tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Order("id").Find(&ds, "n > 0").Error; err != nil {
			return err
		}
		return tx.Model(&LnD{}).Where("n > 0").Update("n", 0).Error
	})
}

// sorted by id, lock key is the hash
func Hashed(ctx context.Context, tx pgx.Tx, ids []string) error {
	slices.Sort(ids)
	for _, id := range ids {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('lnh:' || $1, 0))`, id); err != nil {
			return err
		}
	}
	return nil
}

func ReverseID(ctx context.Context, tx pgx.Tx, ids []int64) error {
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	for _, id := range ids {
		if _, err := tx.Exec(ctx, `UPDATE ln_e SET n = n + 1 WHERE id = $1`, id); err != nil { // want inconsistent-lock-order "rows of \"ln_e\" are locked in the order of id desc; AscE locks them in the order of id"
			return err
		}
	}
	return nil
}
func AscE(ctx context.Context, tx pgx.Tx, ids []int64) error {
	slices.Sort(ids)
	for _, id := range ids {
		if _, err := tx.Exec(ctx, `UPDATE ln_e SET n = n + 1 WHERE id = $1`, id); err != nil {
			return err
		}
	}
	return nil
}

// iterators have the order of what they go through
func OfMap(ctx context.Context, tx pgx.Tx, m map[int64]bool) error {
	for id := range maps.Keys(m) {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('loa:' || $1, 0))`, id); err != nil { // want unordered-lock-loop "advisory loa: is taken for each element of maps.Keys\\(m\\), whose order is random"
			return err
		}
	}
	return nil
}

func OfAll(ctx context.Context, tx pgx.Tx, ids []int64) error {
	for _, id := range slices.All(ids) {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('lob:' || $1, 0))`, id); err != nil { // want unordered-lock-loop "advisory lob: is taken for each element of slices.All\\(ids\\), in the order the caller gives"
			return err
		}
	}
	return nil
}

func OfValues(ctx context.Context, tx pgx.Tx, ids []int64) error {
	slices.Sort(ids)
	for id := range slices.Values(ids) {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('loc:' || $1, 0))`, id); err != nil {
			return err
		}
	}
	return nil
}
