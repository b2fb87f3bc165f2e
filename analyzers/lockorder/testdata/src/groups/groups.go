// Package groups waits for goroutines that want locks.
package groups

import (
	"context"
	"database/sql"
	"sync"
)

type Hub struct {
	db *sql.DB
	wg sync.WaitGroup
}

// Stop waits under a row lock for what wants the row.
func (h *Hub) Stop(ctx context.Context) error {
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM hubs WHERE id = 1 FOR UPDATE`); err != nil {
		return err
	}
	h.wg.Wait() // want mixed-lock-order "WaitGroup shop.Hub.wg is waited for while holding row .hubs. .FOR UPDATE.; Start.1 takes them in the opposite order"
	return tx.Commit()
}

func (h *Hub) Start(ctx context.Context) {
	h.wg.Add(1)
	go func() {
		defer h.wg.Done()
		_, _ = h.db.ExecContext(ctx, `UPDATE hubs SET n = n + 1 WHERE id = 1`)
	}()
}

// A Calm hub waits before it locks, and its goroutines write elsewhere.
type Calm struct {
	db *sql.DB
	wg sync.WaitGroup
}

func (h *Calm) Stop(ctx context.Context) error {
	h.wg.Wait()
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM logs WHERE id = 1 FOR UPDATE`); err != nil {
		return err
	}
	return tx.Commit()
}

func (h *Calm) Start(ctx context.Context) {
	h.wg.Add(1)
	go func() {
		defer h.wg.Done()
		_, _ = h.db.ExecContext(ctx, `UPDATE logs SET n = n + 1 WHERE id = 1`)
	}()
}

// Drain holds another row than the goroutines want.
func (h *Calm) Drain(ctx context.Context) error {
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM logs WHERE id = 2 FOR UPDATE`); err != nil {
		return err
	}
	h.wg.Wait()
	return tx.Commit()
}
