package entitlements

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"example.test/memberconsole/internal/core"
	"example.test/memberconsole/internal/ids"
)

// RuleDelta is the new amount of one resource key of a set.
type RuleDelta struct {
	ResourceKey string
	Amount      int64
}

// RuleBatch is a change of several rules of one set.
type RuleBatch struct {
	SetID  string
	Deltas []RuleDelta
}

// RuleResult says what became of a batch.
type RuleResult struct {
	BatchID  string
	Pools    int
	Deferred bool
}

// RuleChangeBatchCommit commits a batch. Up to the sync cap the pools that
// carry the set settle in the same transaction; above it they are drained
// afterwards, one by one.
func (s *Service) RuleChangeBatchCommit(ctx context.Context, b RuleBatch) (RuleResult, error) {
	res := RuleResult{BatchID: ids.New()}
	tx, err := BeginRuleChange(ctx, s.db)
	if err != nil {
		return res, err
	}
	defer tx.Rollback()
	q := tx.Queries()
	if _, err := q.LockEntitlementSet(ctx, b.SetID); err != nil {
		return res, fmt.Errorf("lock set %s: %w", b.SetID, err)
	}
	deltas := slices.Clone(b.Deltas)
	slices.SortFunc(deltas, func(x, y RuleDelta) int { return cmp.Compare(x.ResourceKey, y.ResourceKey) })
	for _, d := range deltas {
		_, err := q.CommitRuleChange(ctx, core.CommitRuleChangeParams{
			BatchID:     res.BatchID,
			SetID:       b.SetID,
			ResourceKey: d.ResourceKey,
			Amount:      d.Amount,
		})
		if err != nil {
			return res, fmt.Errorf("change rule %s: %w", d.ResourceKey, err)
		}
	}
	pools, err := q.ListPoolsCarryingSet(ctx, b.SetID)
	if err != nil {
		return res, fmt.Errorf("pools carrying %s: %w", b.SetID, err)
	}
	res.Pools = len(pools)
	res.Deferred = len(pools) > s.syncCap
	if !res.Deferred {
		for _, poolID := range pools {
			if err := s.settlePool(ctx, tx, res.BatchID, poolID); err != nil {
				return res, err
			}
		}
	}
	if err := tx.Commit(); err != nil {
		return res, fmt.Errorf("commit rule change: %w", err)
	}
	if res.Deferred {
		return res, s.DrainChange(ctx, res.BatchID)
	}
	return res, nil
}

// DrainChange settles the pools that a batch still owes. A pool that fails is
// noted and left to the next pass.
func (s *Service) DrainChange(ctx context.Context, batchID string) error {
	pools, err := core.New(s.db).ListOwedPools(ctx, batchID)
	if err != nil {
		return fmt.Errorf("owed pools of %s: %w", batchID, err)
	}
	var failed []error
	for _, poolID := range pools {
		cause := s.drainPool(ctx, batchID, poolID)
		if cause == nil {
			continue
		}
		s.log.WarnContext(ctx, "pool not settled", "batch", batchID, "pool", poolID, "error", cause)
		if err := s.recordObligationFailure(ctx, batchID, poolID, cause); err != nil {
			cause = errors.Join(cause, err)
		}
		failed = append(failed, cause)
	}
	return errors.Join(failed...)
}

func (s *Service) drainPool(ctx context.Context, batchID, poolID string) error {
	tx, err := BeginMaterializing(ctx, s.db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.settlePool(ctx, tx, batchID, poolID); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Service) recordObligationFailure(ctx context.Context, batchID, poolID string, cause error) error {
	tx, err := BeginMaterializing(ctx, s.db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	_, err = tx.Queries().RecordObligationFailure(ctx, core.RecordObligationFailureParams{
		BatchID:   batchID,
		PoolID:    poolID,
		LastError: optional(cause.Error()),
	})
	if err != nil {
		return fmt.Errorf("record failure of %s: %w", poolID, err)
	}
	return tx.Commit()
}

func (s *Service) settlePool(ctx context.Context, h Held, batchID, poolID string) error {
	q := h.Queries()
	if err := LockPools(ctx, q, poolID); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	owed, err := q.ListOwedChanges(ctx, core.ListOwedChangesParams{BatchID: batchID, PoolID: poolID})
	if err != nil {
		return fmt.Errorf("settle %s: %w", poolID, err)
	}
	for _, changeID := range owed {
		_, err := q.SettleObligation(ctx, core.SettleObligationParams{ChangeID: changeID, PoolID: poolID})
		if err != nil {
			return fmt.Errorf("settle %s: change %s: %w", poolID, changeID, err)
		}
	}
	return s.Materialize(ctx, h, poolID)
}
