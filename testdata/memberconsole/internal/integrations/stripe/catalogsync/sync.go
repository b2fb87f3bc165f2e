// Package catalogsync queues products of the console for Stripe's catalog.
package catalogsync

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"example.test/memberconsole/internal/integrations/stripe/stripedb"
)

// Result is what a sync found. Its transaction is open when nothing was
// committed; Close ends it.
type Result struct {
	Product  string  `json:"product"`
	Queued   []int64 `json:"queued"`
	Existing int     `json:"existing"`

	tx *sql.Tx
}

// Close rolls back the transaction of a sync that committed nothing.
func (r *Result) Close() {
	if r.tx != nil {
		_ = r.tx.Rollback()
	}
}

// Syncer syncs products.
type Syncer struct {
	db  *sql.DB
	log *slog.Logger
}

// New returns a Syncer.
func New(db *sql.DB, log *slog.Logger) *Syncer {
	return &Syncer{db: db, log: log}
}

// Sync writes the mappings that a product still lacks and queues them. A sync
// with nothing to write leaves its transaction to the caller, so that what the
// caller reports stays true until it has reported it.
func (s *Syncer) Sync(ctx context.Context, productID string, prices []int64) (*Result, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("sync %s: %w", productID, err)
	}
	res := &Result{Product: productID, tx: tx}
	if err := s.write(ctx, tx, res, prices); err != nil {
		res.Close()
		return nil, fmt.Errorf("sync %s: %w", productID, err)
	}
	if len(res.Queued) == 0 {
		return res, nil
	}
	if err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("sync %s: %w", productID, err)
	}
	res.tx = nil
	return res, nil
}

func (s *Syncer) write(ctx context.Context, tx *sql.Tx, res *Result, prices []int64) error {
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1)::bigint)", res.Product); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	q := stripedb.New(tx)
	_, err := q.GetProductMapping(ctx, res.Product)
	if errors.Is(err, sql.ErrNoRows) {
		err = q.InsertPendingProduct(ctx, res.Product)
	}
	if err != nil {
		return fmt.Errorf("product mapping: %w", err)
	}
	mapped, err := q.ListPriceMappings(ctx, res.Product)
	if err != nil {
		return fmt.Errorf("price mappings: %w", err)
	}
	known := make(map[int64]bool, len(mapped))
	for _, m := range mapped {
		known[m.AmountCents] = true
	}
	for _, cents := range prices {
		if known[cents] {
			res.Existing++
			continue
		}
		if err := q.InsertPendingPrice(ctx, stripedb.InsertPendingPriceParams{ProductID: res.Product, AmountCents: cents}); err != nil {
			return fmt.Errorf("price %d: %w", cents, err)
		}
		if err := q.EnqueueCatalogChange(ctx, stripedb.EnqueueCatalogChangeParams{ProductID: res.Product, Action: fmt.Sprintf("price:%d", cents)}); err != nil {
			return fmt.Errorf("enqueue %d: %w", cents, err)
		}
		res.Queued = append(res.Queued, cents)
	}
	return nil
}

// SyncProductToStripe is the operator's button.
func (s *Syncer) SyncProductToStripe(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Prices []int64 `json:"prices"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, "prices are not readable", http.StatusBadRequest)
		return
	}
	res, err := s.Sync(r.Context(), r.PathValue("product"), body.Prices)
	if err != nil {
		s.log.ErrorContext(r.Context(), "product not synced", "error", err)
		http.Error(w, "product not synced", http.StatusInternalServerError)
		return
	}
	defer res.Close()
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(res); err != nil {
		s.log.WarnContext(r.Context(), "answer not written", "error", err)
	}
}
