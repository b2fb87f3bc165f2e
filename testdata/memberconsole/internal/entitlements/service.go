// Package entitlements decides what each resource pool may use. It confers
// products on pools through grants, ends and resumes them, changes the rules
// that products carry and the tiers they stand on, and keeps every pool's
// entitlements materialized.
package entitlements

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"example.test/memberconsole/internal/core"
)

// Sources of a provision.
const (
	SourceGrant        = "grant"
	SourceSubscription = "subscription"
)

var (
	// ErrNoPool is returned for a grant that names no organization.
	ErrNoPool = errors.New("grant has no pool")
	// ErrTierHeld is returned by DeleteTier while somebody stands on the tier.
	ErrTierHeld = errors.New("tier has holders")
	// ErrUnknownTiers is returned when an order does not name a ladder's tiers.
	ErrUnknownTiers = errors.New("order does not list the tiers of the ladder")
)

// DefaultSyncCap is the number of pools a rule change settles by itself.
const DefaultSyncCap = 25

// Service is the entitlements of all organizations.
type Service struct {
	db      *sql.DB
	log     *slog.Logger
	now     func() time.Time
	syncCap int
}

// New returns a Service on db.
func New(db *sql.DB, log *slog.Logger) *Service {
	return &Service{db: db, log: log, now: time.Now, syncCap: DefaultSyncCap}
}

// WithSyncCap returns a copy of s that settles up to n pools within a change.
func (s *Service) WithSyncCap(n int) *Service {
	c := *s
	c.syncCap = n
	return &c
}

// LockPools locks the rows of several pools, each once, in ascending order.
func LockPools(ctx context.Context, q *core.Queries, poolIDs ...string) error {
	ids := slices.Clone(poolIDs)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if _, err := q.LockResourcePool(ctx, id); err != nil {
			return fmt.Errorf("lock pool %s: %w", id, err)
		}
	}
	return nil
}

// LockPoolOfGrant locks the pool that a grant confers on. It reports false for
// a grant of no organization.
func LockPoolOfGrant(ctx context.Context, q *core.Queries, grantID string) (string, bool, error) {
	poolID, err := q.LockGrantPool(ctx, grantID)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("lock pool of grant %s: %w", grantID, err)
	}
	return poolID, true, nil
}

// Materialize writes what the live provisions of a pool add up to. Keys are
// written in byte order, the order in which providers stamp them.
func (s *Service) Materialize(ctx context.Context, h Held, poolID string) error {
	q := h.Queries()
	if err := q.AssertRendezvous(ctx); err != nil {
		return fmt.Errorf("materialize %s: %w", poolID, err)
	}
	amounts, err := q.ComputeEntitlements(ctx, poolID)
	if err != nil {
		return fmt.Errorf("materialize %s: compute: %w", poolID, err)
	}
	for _, a := range amounts {
		err := q.UpsertEntitlement(ctx, core.UpsertEntitlementParams{
			PoolID:      poolID,
			ResourceKey: a.ResourceKey,
			Amount:      a.Amount,
		})
		if err != nil {
			return fmt.Errorf("materialize %s: write %s: %w", poolID, a.ResourceKey, err)
		}
	}
	if _, err := q.DeleteVacantEntitlements(ctx, poolID); err != nil {
		return fmt.Errorf("materialize %s: delete: %w", poolID, err)
	}
	return nil
}

func optional(id string) sql.NullString {
	return sql.NullString{String: id, Valid: id != ""}
}

func optionalTime(t time.Time) sql.NullTime {
	return sql.NullTime{Time: t, Valid: !t.IsZero()}
}
