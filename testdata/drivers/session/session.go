package session

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"
)

// via pool: gorm root, bun, sqlx
func G(db *gorm.DB, fn func() error) error {
	var ok bool
	if err := db.Raw("SELECT pg_try_advisory_lock(?)", 5001).Scan(&ok).Error; err != nil || !ok { // want session-lock-via-pool "session lock advisory 5001 is taken on a gorm handle that pins no connection"
		return err
	}
	defer db.Exec("SELECT pg_advisory_unlock(?)", 5001) // want unlock-other-conn "advisory 5001 is released on a gorm handle that pins no connection"
	return fn()
}

func B(ctx context.Context, db *bun.DB, fn func() error) error {
	if _, err := db.ExecContext(ctx, "SELECT pg_advisory_lock(5002)"); err != nil { // want session-lock-via-pool "session lock advisory 5002 is taken on a pool"
		return err
	}
	defer db.NewRaw("SELECT pg_advisory_unlock(5002)").Exec(ctx) // want unlock-cancelable-ctx "advisory 5002 is released under a context that may be cancelled by then" unlock-other-conn "advisory 5002 is released on a pool"
	return fn()
}

type Repo struct{ *sqlx.DB }

func (r *Repo) Locked(ctx context.Context, key int64, fn func() error) error {
	if _, err := r.ExecContext(ctx, `select pg_advisory_lock($1)`, key); err != nil { // want session-lock-via-pool "session lock advisory session\\.\\(\\*Repo\\)\\.Locked is taken on a pool"
		return err
	}
	defer func() { _, _ = r.ExecContext(context.Background(), `select pg_advisory_unlock($1)`, key) }() // want unlock-other-conn "advisory session\\.\\(\\*Repo\\)\\.Locked is released on a pool"
	return fn()
}

// interface: pool in a field typed as interface
type execer interface {
	ExecContext(ctx context.Context, q string, args ...any) (sql.Result, error)
}
type svc struct{ db execer }

func newSvc(db *sql.DB) *svc { return &svc{db: db} }
func Boot(db *sql.DB) error  { return newSvc(db).lock(context.Background()) }
func (s *svc) lock(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `SELECT pg_advisory_lock(5003)`) // want session-lock-via-pool "session lock advisory 5003 is taken on a pool"
	return err
}

// leak: pgxpool Release without unlock on the early return
func Leak(ctx context.Context, pool *pgxpool.Pool, work func() error) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, `SELECT pg_advisory_lock(5004)`); err != nil { // want session-lock-leak "session lock advisory 5004 is still held when its connection goes back to the pool"
		return err
	}
	if err := work(); err != nil {
		return err
	}
	_, err = c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(5004)`) // want unlock-result-ignored "the result of unlocking advisory 5004 is dropped"
	return err
}

// leak in a struct: Stop closes only
type Elector struct {
	db   *sql.DB
	conn *sql.Conn
}

func (e *Elector) Campaign(ctx context.Context) (bool, error) {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return false, err
	}
	var won bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(5005)`).Scan(&won); err != nil {
		conn.Close()
		return false, err
	}
	if !won {
		return false, conn.Close()
	}
	e.conn = conn
	return true, nil
}

func (e *Elector) Resign() error {
	c := e.conn
	e.conn = nil
	return c.Close() // want session-lock-leak "the connection that advisory 5005 is taken on goes back to its pool here without an unlock"
}

type GoodElector struct {
	db   *sql.DB
	conn *sql.Conn
}

func (e *GoodElector) Campaign(ctx context.Context) (bool, error) {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return false, err
	}
	var won bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(5006)`).Scan(&won); err != nil {
		conn.Close()
		return false, err
	}
	if !won {
		return false, conn.Close()
	}
	e.conn = conn
	return true, nil
}

func (e *GoodElector) Resign(ctx context.Context) error {
	c := e.conn
	e.conn = nil
	var ok bool
	err := c.QueryRowContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(5006)`).Scan(&ok)
	if err == nil && !ok {
		err = errors.New("not held")
	}
	return errors.Join(err, c.Close())
}

// unlock under cancelled ctx: goroutine on Done
func Watch(ctx context.Context, pool *pgxpool.Pool, run func(context.Context)) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	if _, err := c.Exec(ctx, `SELECT pg_advisory_lock(5007)`); err != nil {
		c.Release()
		return err
	}
	run(ctx)
	<-ctx.Done()
	_, err = c.Exec(ctx, `SELECT pg_advisory_unlock(5007)`) // want unlock-cancelable-ctx "advisory 5007 is released under a context that may be cancelled by then" unlock-result-ignored "the result of unlocking advisory 5007 is dropped"
	c.Release()
	return err
}

func WatchTimeout(ctx context.Context, db *sqlx.DB, run func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c, err := db.Connx(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, `SELECT pg_advisory_lock(5008)`); err != nil {
		return err
	}
	defer func() {
		c.ExecContext(ctx, `SELECT pg_advisory_unlock(5008)`) // want unlock-cancelable-ctx "advisory 5008 is released under a context that may be cancelled by then"
	}()
	return run(ctx)
}

func WatchGood(ctx context.Context, db *sqlx.DB, run func(context.Context) error) (err error) {
	c, err := db.Connx(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, `SELECT pg_advisory_lock(5009)`); err != nil {
		return err
	}
	defer func() {
		uctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		var ok bool
		if e := c.QueryRowContext(uctx, `SELECT pg_advisory_unlock(5009)`).Scan(&ok); e != nil || !ok {
			err = errors.Join(err, e)
		}
	}()
	return run(ctx)
}

// conn leak: closure returned as unlock, lost when !ok
func Try(ctx context.Context, pool *pgxpool.Pool, key int64) (func(), bool, error) {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	var ok bool
	if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, key).Scan(&ok); err != nil {
		return nil, false, err // want lock-conn-leak "the connection pinned for advisory session\\.Try is neither closed nor returned here"
	}
	if !ok {
		return nil, false, nil // want lock-conn-leak "the connection pinned for advisory session\\.Try is neither closed nor returned here"
	}
	return func() {
		c.Exec(context.Background(), `SELECT pg_advisory_unlock($1)`, key) // want unlock-result-ignored "the result of unlocking advisory session\\.Try\\$1 is dropped"
		c.Release()
	}, true, nil
}

func TryGood(ctx context.Context, pool *pgxpool.Pool, key int64) (func(), bool, error) {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	var ok bool
	if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, key).Scan(&ok); err != nil || !ok {
		c.Release()
		return nil, false, err
	}
	return func() {
		if _, err := c.Exec(context.Background(), `SELECT pg_advisory_unlock($1)`, key); err != nil { // want unlock-result-ignored "the result of unlocking advisory session\\.TryGood\\$1 is dropped"
			c.Hijack().Close(context.Background())
			return
		}
		c.Release()
	}, true, nil
}

// void scanned
func Void(ctx context.Context, c *sql.Conn) error {
	var got any
	var ok bool
	_ = got
	return c.QueryRowContext(ctx, `SELECT pg_advisory_lock(5010)`).Scan(&ok) // want void-result-scanned "the void result of locking advisory 5010 is scanned into bool"
}

func VoidGorm(tx *gorm.DB) error {
	return tx.Transaction(func(tx *gorm.DB) error {
		var ok bool
		return tx.Raw(`SELECT pg_advisory_xact_lock(5011)`).Scan(&ok).Error // want void-result-scanned "the void result of locking advisory 5011 is scanned into bool"
	})
}

func VoidSqlx(ctx context.Context, tx *sqlx.Tx) (bool, error) {
	var ok bool
	err := tx.GetContext(ctx, &ok, `SELECT pg_advisory_xact_lock_shared(5012)`) // want void-result-scanned "the void result of locking advisory 5012 is scanned into bool"
	return ok, err
}

func VoidGood(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(5013)`)
	return err
}

// session lock in tx: bun, pgx, sqlx helper
func InTx(ctx context.Context, db *bun.DB) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_lock(5014)`); err != nil { // want session-lock-in-tx "session lock advisory 5014 is taken inside a transaction"
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE ca_rows SET n = 1`)
		return err
	})
}

func lockIt(ctx context.Context, q interface {
	Exec(context.Context, string, ...any) (pgTag, error)
}) error {
	_, err := q.Exec(ctx, `SELECT pg_advisory_lock(5015)`)
	return err
}

type pgTag interface{ RowsAffected() int64 }

func InTxPgx(ctx context.Context, pool *pgxpool.Pool) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := sessionLock(ctx, tx, 5016); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE cb_rows SET n = 1 WHERE id = 1`); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func sessionLock(ctx context.Context, tx pgx.Tx, key int64) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_lock($1)`, key) // want session-lock-in-tx "session lock advisory 5016 is taken inside a transaction" session-lock-leak "session lock advisory 5016 is still held when its connection goes back to the pool"
	return err
}

// reentrant: helper called twice, one unlock
type holder struct{ c *pgx.Conn }

func (h *holder) lock(ctx context.Context) error {
	_, err := h.c.Exec(ctx, `SELECT pg_advisory_lock(5017)`)
	return err
}
func (h *holder) unlock(ctx context.Context) error {
	_, err := h.c.Exec(ctx, `SELECT pg_advisory_unlock(5017)`) // want unlock-result-ignored "the result of unlocking advisory 5017 is dropped"
	return err
}
func (h *holder) Run(ctx context.Context, fn func() error) error {
	if err := h.lock(ctx); err != nil {
		return err
	}
	if err := h.lock(ctx); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	return h.unlock(context.WithoutCancel(ctx))
}

// ticker, sql.Conn, select loop
func Tick(ctx context.Context, c *sql.Conn, t *time.Ticker, lead func()) error {
	defer func() { c.ExecContext(context.Background(), `SELECT pg_advisory_unlock(5018)`) }()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			var ok bool
			if err := c.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(5018)`).Scan(&ok); err != nil { // want reentrant-imbalance "session lock advisory 5018 is taken again in each turn of a loop and released once"
				return err
			}
			if ok {
				lead()
			}
		}
	}
}

// leader without liveness
func Lead(ctx context.Context, pool *pgxpool.Pool, work func(context.Context) error) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	var ok bool
	if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock(5019)`).Scan(&ok); err != nil || !ok {
		return err
	}
	defer c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(5019)`)
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return work(gctx) })
	return g.Wait()
}

func Unlock(ctx context.Context, c *sql.Conn) {
	c.ExecContext(ctx, `SELECT pg_advisory_unlock(5020)`) // want unlock-result-ignored "the result of unlocking advisory 5020 is dropped"
}

// a variable of the for clause: each turn has its own
func Poll(ctx context.Context, c *sql.Conn, fn func() error) error {
	for got := false; !got; {
		if err := c.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(5021)`).Scan(&got); err != nil {
			return err
		}
		if !got {
			time.Sleep(time.Second)
		}
	}
	defer c.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(5021)`)
	return fn()
}

// the row of gorm
func VoidRow(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var n int
		return tx.Raw(`SELECT pg_advisory_xact_lock(5022)`).Row().Scan(&n) // want void-result-scanned "the void result of locking advisory 5022 is scanned into int"
	})
}

// a connection for each try, and one of them is given back
func Retry(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	for range 10 {
		c, err := pool.Acquire(ctx) // want lock-conn-leak "each turn of the loop pins another connection for advisory 5023"
		if err != nil {
			return nil, err
		}
		var ok bool
		if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock(5023)`).Scan(&ok); err != nil {
			_ = c.Hijack().Close(context.WithoutCancel(ctx))
			return nil, err
		}
		if ok {
			return c, nil
		}
		time.Sleep(time.Second)
	}
	return nil, errors.New("busy")
}

// one goes on with the connection open, another closes it
func Skip(ctx context.Context, pool *pgxpool.Pool, keys []int64) error {
	for _, k := range keys {
		c, err := pool.Acquire(ctx) // want lock-conn-leak "each turn of the loop pins another connection for advisory session\\.Skip"
		if err != nil {
			return err
		}
		var ok bool
		if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, k).Scan(&ok); err != nil {
			_ = c.Hijack().Close(context.WithoutCancel(ctx))
			return err
		}
		if !ok {
			continue
		}
		_, err = c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, k) // want unlock-result-ignored "advisory session\\.Skip is dropped"
		c.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// connections that a list or a map keeps
func Several(ctx context.Context, pool *pgxpool.Pool, keys []int64, fn func() error) error {
	var list []*pgxpool.Conn
	byKey := map[int64]*pgxpool.Conn{}
	defer func() {
		for _, c := range list {
			_, _ = c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
			c.Release()
		}
		for _, c := range byKey {
			_, _ = c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
			c.Release()
		}
	}()
	for _, k := range keys {
		a, err := pool.Acquire(ctx)
		if err != nil {
			return err
		}
		list = append(list, a)
		var ok bool
		if err := a.QueryRow(ctx, `SELECT pg_try_advisory_lock(5024, $1::int)`, k).Scan(&ok); err != nil || !ok { // want key-overflow "an int64 is given to a lock of two int4"
			return err
		}
		b, err := pool.Acquire(ctx) // want pool-nested-acquire "a connection is asked of the pool while"
		if err != nil {
			return err
		}
		byKey[k] = b
		if err := b.QueryRow(ctx, `SELECT pg_try_advisory_lock(5025, $1::int)`, k).Scan(&ok); err != nil || !ok { // want key-overflow "an int64 is given to a lock of two int4"
			return err
		}
	}
	return fn()
}

// a leader that gives its connection back, where it has one
type leader struct {
	pool *pgxpool.Pool
	conn *pgxpool.Conn
}

func (l *leader) Elect(ctx context.Context) (bool, error) {
	c, err := l.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	var ok bool
	if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock(5026)`).Scan(&ok); err != nil || !ok {
		_ = c.Hijack().Close(context.WithoutCancel(ctx))
		return false, err
	}
	l.conn = c
	return true, nil
}

func (l *leader) Resign() {
	if l.conn != nil {
		l.conn.Release() // want session-lock-leak "the connection that advisory 5026 is taken on goes back to its pool here without an unlock"
		l.conn = nil
	}
}

// a connection that is kept when the lock is had, and lost when the attempt fails
type Regent struct {
	pool *pgxpool.Pool
	conn *pgxpool.Conn
}

func (r *Regent) acquire(ctx context.Context) (bool, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	var ok bool
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(5050)`).Scan(&ok); err != nil {
		return false, err // want lock-conn-leak "the connection pinned for advisory 5050 is neither closed nor returned here"
	}
	if !ok {
		conn.Release()
		return false, nil
	}
	r.conn = conn
	return true, nil
}

// resign is deferred under the context of whoever leads.
func (r *Regent) resign(ctx context.Context) error {
	defer r.conn.Release()
	var ok bool
	if err := r.conn.QueryRow(ctx, `SELECT pg_advisory_unlock(5050)`).Scan(&ok); err != nil || !ok { // want unlock-cancelable-ctx "advisory 5050 is released under a context that may be cancelled by then"
		return errors.Join(err, r.conn.Conn().Close(ctx))
	}
	return nil
}

func (r *Regent) Lead(ctx context.Context, work func(context.Context) error) error {
	ok, err := r.acquire(ctx)
	if err != nil || !ok {
		return err
	}
	defer r.resign(ctx)
	return work(ctx)
}
