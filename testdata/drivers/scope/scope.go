package scope

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// xact lock on the pool
func XactPool(ctx context.Context, db *sqlx.DB, id int64) error {
	if _, err := db.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtext('sc-a'), $1)`, id); err != nil { // want key-overflow "an int64 is given to a lock of two int4, advisory sc-a" xact-lock-outside-tx "transaction lock advisory sc-a is taken on a pool"
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE cc_rows SET n = 1 WHERE id = $1`, id)
	return err
}

func XactGorm(db *gorm.DB, id int64) error {
	if err := db.Exec(`SELECT pg_advisory_xact_lock(6001)`).Error; err != nil {
		return err
	}
	return db.Exec(`UPDATE cc_rows SET n = 2 WHERE id = ?`, id).Error
}

func XactConn(ctx context.Context, pool *pgxpool.Pool) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	var ok bool
	if err := c.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(6002)`).Scan(&ok); err != nil || !ok { // want xact-lock-outside-tx "transaction lock advisory 6002 is taken on a connection without a transaction"
		return err
	}
	_, err = c.Exec(ctx, `UPDATE cc_rows SET n = 3 WHERE id = 1`)
	return err
}

// row lock in autocommit
type CdRow struct {
	ID int64
	N  int
}

func (CdRow) TableName() string { return "cd_rows" }

func RowGorm(db *gorm.DB, id int64) error {
	var r CdRow
	if err := db.Clauses(clause.Locking{Strength: "UPDATE"}).First(&r, id).Error; err != nil {
		return err
	}
	r.N++
	return db.Save(&r).Error
}

func RowBun(ctx context.Context, db *bun.DB, id int64) (int, error) {
	var n int
	err := db.NewSelect().Table("ce_rows").Column("n").Where("id = ?", id).For("UPDATE").Scan(ctx, &n) // want row-lock-outside-tx "row \"ce_rows\""
	return n, err
}

type DBTX interface {
	ExecContext(context.Context, string, ...interface{}) (sql.Result, error)
	QueryRowContext(context.Context, string, ...interface{}) *sql.Row
}
type Queries struct{ db DBTX }

func New(db DBTX) *Queries                    { return &Queries{db: db} }
func (q *Queries) WithTx(tx *sql.Tx) *Queries { return &Queries{db: tx} }

const lockRow = `-- name: LockRow :one
SELECT n FROM cf_rows WHERE id = $1 FOR UPDATE
`

func (q *Queries) LockRow(ctx context.Context, id int64) (int, error) {
	row := q.db.QueryRowContext(ctx, lockRow, id) // want pool-in-tx "a statement runs on the pool while Bump has a transaction of the same pool open" row-lock-outside-tx "row \"cf_rows\""
	var n int
	err := row.Scan(&n)
	return n, err
}

type Service struct {
	db *sql.DB
	q  *Queries
}

func NewService(db *sql.DB) *Service { return &Service{db: db, q: New(db)} }

func (s *Service) Bump(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	n, err := s.q.LockRow(ctx, id)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE cf_rows SET n = $2 WHERE id = $1`, id, n+1); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Service) BumpGood(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	n, err := s.q.WithTx(tx).LockRow(ctx, id)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE cf_rows SET n = $2 WHERE id = $1`, id, n+1); err != nil {
		return err
	}
	return tx.Commit()
}

// lock-scope-ended: work after the commit
func Ended(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	var n int
	if err := tx.QueryRow(ctx, `SELECT n FROM cg_rows WHERE id = $1 FOR UPDATE`, id).Scan(&n); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, `UPDATE cg_rows SET n = $2 WHERE id = $1`, id, n+1) // want lock-scope-ended "this write runs after the transaction that locked row \"cg_rows\" has ended"
	return err
}

// advisory lock in a transaction that ends before the work
func EndedAdv(ctx context.Context, db *sqlx.DB, id int64) error {
	if err := guard(ctx, db, id); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE ch_rows SET n = n + 1 WHERE id = $1`, id) // want lock-scope-ended "this write runs after the transaction that locked advisory sc-ended: has ended"
	return err
}

func guard(ctx context.Context, db *sqlx.DB, id int64) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Commit()
	_, err = tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('sc-ended:' || $1::text, 0))`, id)
	return err
}

// unlock before commit, with defer order
func UnlockFirst(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, `SELECT pg_advisory_lock(6003)`); err != nil {
		return err
	}
	tx, err := c.Begin(ctx)
	if err != nil {
		c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(6003)`) // want unlock-result-ignored "the result of unlocking advisory 6003 is dropped"
		return err
	}
	defer tx.Commit(ctx)
	defer c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(6003)`) // want unlock-before-commit "session lock advisory 6003 is released before the transaction that writes under it commits"
	_, err = tx.Exec(ctx, `UPDATE ci_rows SET n = n + 1 WHERE id = $1`, id)
	return err
}

func UnlockAfter(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, `SELECT pg_advisory_lock(6004)`); err != nil {
		return err
	}
	defer c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(6004)`)
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		_, err = tx.Exec(ctx, `UPDATE cj_rows SET n = n + 1 WHERE id = $1`, id)
		return err
	})
}

// savepoint: pgx nested Begin
func Nested(ctx context.Context, tx pgx.Tx, id int64) error {
	sp, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := sp.Exec(ctx, `SELECT pg_advisory_xact_lock(6005)`); err != nil {
		return err
	}
	if _, err := sp.Exec(ctx, `INSERT INTO ck_rows (id, n) VALUES ($1, 0)`, id); err != nil {
		sp.Rollback(ctx)
	} else if err := sp.Commit(ctx); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE ck_rows SET n = n + 1 WHERE id = 1`) // want savepoint-lock-scope "this work runs although a rollback to the savepoint may have released advisory 6005"
	return err
}

func NestedSQL(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `SAVEPOINT s`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SELECT n FROM cl_rows WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE cl_rows SET n = 5 WHERE id = $1`, id); err != nil {
		tx.ExecContext(ctx, `ROLLBACK TO SAVEPOINT s`)
	}
	_, err := tx.ExecContext(ctx, `UPDATE cl_rows SET n = 6 WHERE id = $1`, id) // want savepoint-lock-scope "this work runs although a rollback to the savepoint may have released row .cl_rows."
	return err
}

func NestedGood(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `SELECT n FROM cm_rows WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SAVEPOINT s`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE cm_rows SET n = 5 WHERE id = $1`, id); err != nil {
		tx.ExecContext(ctx, `ROLLBACK TO SAVEPOINT s`)
	}
	_, err := tx.ExecContext(ctx, `UPDATE cm_rows SET n = 6 WHERE id = $1`, id)
	return err
}

// try results
func TryGorm(tx *gorm.DB) error {
	return tx.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(`SELECT pg_try_advisory_xact_lock(6006)`).Error; err != nil { // want try-result-ignored "the answer of trying advisory 6006 is dropped"
			return err
		}
		return tx.Exec(`UPDATE cn_rows SET n = 1 WHERE id = 1`).Error
	})
}

func tryLock(ctx context.Context, tx pgx.Tx, key int64) (ok bool, err error) {
	err = tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, key).Scan(&ok) // want try-result-ignored "the answer of trying advisory 6007 is handed to a caller and decides nothing there" try-result-ignored "the answer of trying advisory 6008 is handed to a caller and decides nothing there"
	return
}

func TryHelper(ctx context.Context, tx pgx.Tx) error {
	_, err := tryLock(ctx, tx, 6007)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE cn_rows SET n = 2 WHERE id = 1`)
	return err
}

func TryLogged(ctx context.Context, tx pgx.Tx) error {
	ok, err := tryLock(ctx, tx, 6008)
	if err != nil {
		return err
	}
	slog.Info("lock", "ok", ok)
	_, err = tx.Exec(ctx, `UPDATE cn_rows SET n = 3 WHERE id = 1`)
	return err
}

var errBusy = errors.New("busy")

func TryGood(ctx context.Context, tx pgx.Tx) error {
	switch ok, err := tryLock(ctx, tx, 6009); {
	case err != nil:
		return err
	case !ok:
		return errBusy
	}
	_, err := tx.Exec(ctx, `UPDATE cn_rows SET n = 4 WHERE id = 1`)
	return err
}

// replica
type DBs struct {
	Primary *sql.DB
	Replica *sql.DB
}

func (d *DBs) OnReplica(ctx context.Context, id int64) error {
	tx, err := d.Replica.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	_, err = tx.ExecContext(ctx, `SELECT n FROM cn_rows WHERE id = $1 FOR UPDATE`, id) // want lock-on-replica "row \"cn_rows\""
	return err
}

// guc
func Guc(ctx context.Context, db *sqlx.DB) error {
	_, err := db.ExecContext(ctx, `SET lock_timeout = '2s'`) // want guc-leak "SET lock_timeout stays on the pooled connection"
	return err
}

func GucConn(ctx context.Context, db *sql.DB) error {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, `SELECT set_config('statement_timeout', '0', false)`); err != nil { // want guc-leak "SET statement_timeout stays on the pooled connection"
		return err
	}
	_, err = c.ExecContext(ctx, `UPDATE cn_rows SET n = 5 WHERE id = 1`)
	return err
}

func GucGood(ctx context.Context, db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT set_config('statement_timeout', '0', true)`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SET LOCAL lock_timeout = '1s'`); err != nil {
		return err
	}
	return tx.Commit()
}

func GucReset(ctx context.Context, db *sql.DB) error {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, `SET statement_timeout = 0`); err != nil {
		return err
	}
	defer c.ExecContext(context.WithoutCancel(ctx), `RESET statement_timeout`)
	_, err = c.ExecContext(ctx, `UPDATE cn_rows SET n = 5 WHERE id = 1`)
	return err
}

// batch then work
func Batch(ctx context.Context, conn *pgx.Conn, id int64) error {
	b := &pgx.Batch{}
	b.Queue(`SELECT pg_advisory_xact_lock(6010)`)
	b.Queue(`SELECT 1`)
	br := conn.SendBatch(ctx, b)
	if err := br.Close(); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, `UPDATE cn_rows SET n = 7 WHERE id = $1`, id) // want lock-scope-ended "this write runs after the batch that locked advisory 6010 has ended"
	return err
}

// An accessor is what sqlx runs statements on.
type accessor interface {
	sqlx.ExtContext
}

// A namer is an interface of the program's own for the same.
type namer interface {
	BindNamed(query string, arg any) (string, []any, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Bound locks by a text that is made of a named one.
func Bound(ctx context.Context, db *sqlx.DB, id int64) error {
	q, args, err := db.BindNamed(`SELECT 1 FROM cc_rows WHERE id = :id FOR UPDATE`, map[string]any{"id": id})
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, q, args...) // want row-lock-outside-tx "row \"cc_rows\" .* is locked on a pool"
	return err
}

// BoundBy does so by way of interfaces.
func BoundBy(ctx context.Context, db *sqlx.DB, id int64) error {
	return errors.Join(bindOn(ctx, db, id), nameOn(ctx, db, id))
}

func bindOn(ctx context.Context, db accessor, id int64) error {
	q, args, err := db.BindNamed(`SELECT 1 FROM cc_rows WHERE id = :id FOR NO KEY UPDATE`, map[string]any{"id": id})
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, q, args...) // want row-lock-outside-tx "row \"cc_rows\" .* is locked on a pool"
	return err
}

func nameOn(ctx context.Context, db namer, id int64) error {
	q, args, err := db.BindNamed(`SELECT 1 FROM cc_rows WHERE id = :id FOR SHARE`, map[string]any{"id": id})
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, q, args...) // want row-lock-outside-tx "row \"cc_rows\" .* is locked on a pool"
	return err
}

// a gorm handle in a field that nothing gives a transaction
type ccStore struct{ db *gorm.DB }

func NewCcStore(db *gorm.DB) *ccStore { return &ccStore{db: db} }

func (s *ccStore) lock(id int64) error {
	return s.db.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('cc:' || ?::text, 0))`, id).Error // want xact-lock-outside-tx "transaction lock advisory cc: is taken on a gorm handle on which nothing in sight has begun a transaction"
}

func (s *ccStore) Drain(id int64) error {
	if err := s.lock(id); err != nil {
		return err
	}
	var r CdRow
	if err := s.db.Clauses(clause.Locking{Strength: "UPDATE"}).First(&r, id).Error; err != nil { // want row-lock-outside-tx "row \"cd_rows\" .* is locked on a gorm handle on which nothing in sight has begun a transaction"
		return err
	}
	return s.db.Model(&r).Update("n", 0).Error
}

// Only looks: nothing is to be protected.
func (s *ccStore) Only(id int64) error {
	var r CdRow
	return s.db.Clauses(clause.Locking{Strength: "SHARE"}).First(&r, id).Error
}

// ones that a transaction may be given to
type cdStore struct{ db *gorm.DB }

func NewCdStore(db *gorm.DB) *cdStore { return &cdStore{db: db} }

func CdStoreInTx(tx *gorm.DB) *cdStore { return &cdStore{db: tx} }

type ceStore struct{ db *gorm.DB }

func NewCeStore(db *gorm.DB) *ceStore { return &ceStore{db: db} }

func (s *ceStore) WithTx(tx *gorm.DB) *ceStore { return &ceStore{db: tx} }

func (s *ceStore) Drain(id int64) error {
	var r CdRow
	if err := s.db.Clauses(clause.Locking{Strength: "UPDATE"}).First(&r, id).Error; err != nil {
		return err
	}
	return s.db.Model(&r).Update("n", 0).Error
}

func (s *cdStore) Drain(id int64) error {
	var r CdRow
	if err := s.db.Clauses(clause.Locking{Strength: "UPDATE"}).First(&r, id).Error; err != nil {
		return err
	}
	return s.db.Model(&r).Update("n", 0).Error
}

// a timeout for one connection of the pool, and nothing else
func Limit(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, `SET lock_timeout = '7s'`) // want guc-leak "SET lock_timeout stays on the pooled connection"
	return err
}

// a locker that says by a result that it has no lock
type Locker interface {
	TryLock(ctx context.Context, name string) (release func(), ok bool, err error)
}

type pgLocker struct{ db *sql.DB }

func (p *pgLocker) TryLock(ctx context.Context, name string) (func(), bool, error) {
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return nil, false, err
	}
	var ok bool
	err = conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(hashtextextended('cron:' || $1, 0))`, name).Scan(&ok) // want try-result-ignored "the answer of trying advisory cron:close is handed to a caller that drops it"
	if err != nil || !ok {
		conn.Close()
		return func() {}, false, err
	}
	return func() {
		var done bool
		if err := conn.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(hashtextextended('cron:' || $1, 0))`, name).Scan(&done); err != nil || !done {
			conn.Raw(func(any) error { return driver.ErrBadConn })
		}
		conn.Close()
	}, true, nil
}

type Cron struct {
	db, work *sql.DB
	locker   Locker
}

func NewCron(db, work *sql.DB) *Cron { return &Cron{db: db, work: work, locker: &pgLocker{db}} }

func (c *Cron) Close(ctx context.Context) error {
	release, _, err := c.locker.TryLock(ctx, "close")
	if err != nil {
		return err
	}
	defer release()
	_, err = c.work.ExecContext(ctx, `UPDATE cn_rows SET n = 2 WHERE id = 1`)
	return err
}

func (c *Cron) Open(ctx context.Context) error {
	release, ok, err := c.locker.TryLock(ctx, "open")
	if err != nil || !ok {
		return err
	}
	defer release()
	_, err = c.work.ExecContext(ctx, `UPDATE cn_rows SET n = 3 WHERE id = 1`)
	return err
}

// vacuum holds the lock only while it works, so its result matters to nobody.
func (c *Cron) vacuum(ctx context.Context) (ran bool, err error) {
	release, ok, err := c.locker.TryLock(ctx, "vacuum")
	if err != nil || !ok {
		return false, err
	}
	defer release()
	_, err = c.work.ExecContext(ctx, `UPDATE cn_rows SET n = 4 WHERE id = 1`)
	return true, err
}

func (c *Cron) Nightly(ctx context.Context) error {
	if _, err := c.vacuum(ctx); err != nil {
		return err
	}
	_, err := c.work.ExecContext(ctx, `UPDATE cn_rows SET n = 5 WHERE id = 1`)
	return err
}
