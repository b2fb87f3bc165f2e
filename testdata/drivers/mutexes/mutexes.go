package mutexes

import (
	"context"
	"database/sql"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

type cacheA struct {
	sync.RWMutex
	pool *pgxpool.Pool
	m    map[int64]int
}

func (c *cacheA) Load(ctx context.Context, id int64) error {
	c.Lock()
	defer c.Unlock()
	return pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE xa_rows SET n = 1 WHERE id = $1`, id)
		return err
	})
}

func (c *cacheA) Store(ctx context.Context, id int64) error {
	return pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE xa_rows SET n = 2 WHERE id = $1`, id); err != nil {
			return err
		}
		c.RLock() // want mixed-lock-order "mutex mutexes\\.cacheA\\.RWMutex"
		defer c.RUnlock()
		return nil
	})
}

var regMu sync.Mutex

func reg(f func()) {
	regMu.Lock() // want mixed-lock-order "mutex mutexes\\.regMu"
	defer regMu.Unlock()
	f()
}

func B1(db *sql.DB, id int64) (err error) {
	reg(func() { _, err = db.Exec(`UPDATE xb_rows SET n = 1 WHERE id = $1`, id) })
	return err
}

func B2(db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(`UPDATE xb_rows SET n = 2 WHERE id = ?`, id).Error; err != nil {
			return err
		}
		reg(func() {})
		return nil
	})
}

// good: unlock before
type cacheC struct {
	mu sync.Mutex
	db *sql.DB
	m  map[int64]int
}

func (c *cacheC) Load(ctx context.Context, id int64) error {
	c.mu.Lock()
	n := c.m[id]
	c.mu.Unlock()
	_, err := c.db.ExecContext(ctx, `UPDATE xc_rows SET n = $2 WHERE id = $1`, id, n)
	return err
}

func (c *cacheC) Store(ctx context.Context, id int64) error {
	tx, err := c.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE xc_rows SET n = 2 WHERE id = $1`, id); err != nil {
		return err
	}
	c.mu.Lock()
	c.m[id] = 2
	c.mu.Unlock()
	return tx.Commit()
}

// waitgroup: goroutine needs the row the parent holds
func D(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE xd_rows SET n = 2 WHERE id = $1`, id); err != nil {
		return err
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		db.ExecContext(ctx, `UPDATE xd_rows SET n = 3 WHERE id = $1`, id) // want pool-in-tx "a statement runs on the pool while D has a transaction of the same pool open" self-deadlock "row \"xd_rows\""
	}()
	wg.Wait()
	return tx.Commit()
}

// channel: the same by a channel
func E(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, `UPDATE xe_rows SET n = 2 WHERE id = $1`, id); err != nil {
		return err
	}
	done := make(chan error)
	go func() {
		_, err := pool.Exec(ctx, `UPDATE xe_rows SET n = 3 WHERE id = $1`, id) // want pool-in-tx "a statement runs on the pool while E has a transaction of the same pool open" self-deadlock "row \"xe_rows\""
		done <- err
	}()
	if err := <-done; err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// a helper method takes the mutex inside a transaction
type cacheF struct {
	mu sync.Mutex
	db *sql.DB
	m  map[int64]int
}

func (c *cacheF) set(id int64, n int) {
	c.mu.Lock() // want mixed-lock-order "mutex mutexes\\.cacheF\\.mu"
	defer c.mu.Unlock()
	c.m[id] = n
}

func (c *cacheF) Flush(ctx context.Context, id int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.db.ExecContext(ctx, `UPDATE xf_rows SET n = $2 WHERE id = $1`, id, c.m[id])
	return err
}

func (c *cacheF) Apply(ctx context.Context, id int64) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE xf_rows SET n = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	c.set(id, 0)
	return tx.Commit()
}
