package entitlements

import (
	"context"
	"fmt"
	"slices"

	"example.test/memberconsole/internal/core"
)

// Tier places a product on a ladder.
type Tier struct {
	LadderID string
	Product  string
	Rank     int32
}

// Disposition says what becomes of those who stand on a removed tier.
type Disposition int

const (
	// EndHolders ends their provision and leaves it at that.
	EndHolders Disposition = iota
	// MigrateHolders restores the floor of their pool.
	MigrateHolders
)

// AddTier adds a tier and aligns the provisions that its product has already.
func (s *Service) AddTier(ctx context.Context, t Tier) (string, error) {
	tx, err := BeginRuleChange(ctx, s.db)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	q := tx.Queries()
	tierID, err := q.InsertTier(ctx, core.InsertTierParams{LadderID: t.LadderID, ProductID: t.Product, Rank: t.Rank})
	if err != nil {
		return "", fmt.Errorf("insert tier: %w", err)
	}
	live, err := q.ListLiveProvisionsOfProduct(ctx, t.Product)
	if err != nil {
		return "", fmt.Errorf("provisions of %s: %w", t.Product, err)
	}
	for _, p := range live {
		if _, err := q.AlignConferralShape(ctx, p.ProvisionID); err != nil {
			return "", fmt.Errorf("align %s: %w", p.ProvisionID, err)
		}
		if err := s.Materialize(ctx, tx, p.PoolID); err != nil {
			return "", err
		}
	}
	if err := tx.Commit(); err != nil {
		return "", fmt.Errorf("add tier: %w", err)
	}
	return tierID, nil
}

// RemoveTier removes a tier that may have holders. It reads the holders twice:
// once to know which pools to lock, and again once they are locked.
func (s *Service) RemoveTier(ctx context.Context, tierID string, d Disposition) error {
	tx, err := BeginRuleChange(ctx, s.db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	q := tx.Queries()
	tier, err := q.GetTier(ctx, tierID)
	if err != nil {
		return fmt.Errorf("tier %s: %w", tierID, err)
	}
	holders, err := q.ListTierHolders(ctx, tier.ProductID)
	if err != nil {
		return fmt.Errorf("holders of %s: %w", tierID, err)
	}
	if err := LockPools(ctx, q, poolsOf(holders)...); err != nil {
		return fmt.Errorf("remove tier %s: %w", tierID, err)
	}
	holders, err = q.ListTierHolders(ctx, tier.ProductID)
	if err != nil {
		return fmt.Errorf("holders of %s: %w", tierID, err)
	}
	if _, err := q.DeleteTier(ctx, tierID); err != nil {
		return fmt.Errorf("delete tier %s: %w", tierID, err)
	}
	if err := renumber(ctx, q, tier.LadderID, nil); err != nil {
		return err
	}
	for _, poolID := range poolsOf(holders) {
		if err := s.vacate(ctx, tx, poolID, holders, d); err != nil {
			return fmt.Errorf("remove tier %s: pool %s: %w", tierID, poolID, err)
		}
	}
	return tx.Commit()
}

// vacate ends what a pool holds of a removed tier and aligns the rest.
func (s *Service) vacate(ctx context.Context, h Held, poolID string, holders []core.ListTierHoldersRow, d Disposition) error {
	q := h.Queries()
	for _, holder := range holders {
		if holder.PoolID != poolID {
			continue
		}
		_, err := q.EndConferral(ctx, core.EndConferralParams{
			SourceKind: holder.SourceKind,
			SourceID:   holder.SourceID,
			Reason:     "tier removed",
		})
		if err != nil {
			return err
		}
	}
	rest, err := q.ListProvisionsOfPool(ctx, poolID)
	if err != nil {
		return err
	}
	for _, p := range rest {
		if _, err := q.AlignConferralShape(ctx, p.ProvisionID); err != nil {
			return err
		}
	}
	if d == MigrateHolders {
		if err := s.ReapplyDefaultsIfVacant(ctx, h, poolID); err != nil {
			return err
		}
	}
	return s.Materialize(ctx, h, poolID)
}

// DeleteTier deletes a tier on which nobody stands.
func (s *Service) DeleteTier(ctx context.Context, tierID string) error {
	tx, err := BeginRuleChange(ctx, s.db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	q := tx.Queries()
	tier, err := q.GetTier(ctx, tierID)
	if err != nil {
		return fmt.Errorf("tier %s: %w", tierID, err)
	}
	holders, err := q.ListTierHolders(ctx, tier.ProductID)
	if err != nil {
		return fmt.Errorf("holders of %s: %w", tierID, err)
	}
	if len(holders) > 0 {
		return fmt.Errorf("delete tier %s: %w", tierID, ErrTierHeld)
	}
	if _, err := q.DeleteTier(ctx, tierID); err != nil {
		return fmt.Errorf("delete tier %s: %w", tierID, err)
	}
	if err := renumber(ctx, q, tier.LadderID, nil); err != nil {
		return err
	}
	return tx.Commit()
}

// ReorderTiers renumbers a ladder. When another product becomes its lowest
// tier, the organization types that defaulted to the old one follow, and their
// organizations are enacted one by one after the commit.
func (s *Service) ReorderTiers(ctx context.Context, ladderID string, order []string) error {
	oldFloor, newFloor, types, err := s.reorder(ctx, ladderID, order)
	if err != nil {
		return err
	}
	for _, orgType := range types {
		err := s.enactAll(ctx, DefaultChange{
			OrgType:    orgType,
			OldProduct: oldFloor,
			NewProduct: newFloor,
			Bucket:     FillVacant,
		})
		if err != nil {
			return fmt.Errorf("reorder %s: %w", ladderID, err)
		}
	}
	return nil
}

func (s *Service) reorder(ctx context.Context, ladderID string, order []string) (oldFloor, newFloor string, types []string, err error) {
	tx, err := BeginRuleChange(ctx, s.db)
	if err != nil {
		return "", "", nil, err
	}
	defer tx.Rollback()
	q := tx.Queries()
	before, err := q.ListTiers(ctx, ladderID)
	if err != nil {
		return "", "", nil, fmt.Errorf("tiers of %s: %w", ladderID, err)
	}
	if err := renumber(ctx, q, ladderID, order); err != nil {
		return "", "", nil, err
	}
	after, err := q.ListTiers(ctx, ladderID)
	if err != nil {
		return "", "", nil, fmt.Errorf("tiers of %s: %w", ladderID, err)
	}
	if len(before) > 0 && before[0].ProductID != after[0].ProductID {
		oldFloor, newFloor = before[0].ProductID, after[0].ProductID
		types, err = q.ListOrgTypesWithDefault(ctx, oldFloor)
		if err != nil {
			return "", "", nil, fmt.Errorf("types on %s: %w", oldFloor, err)
		}
		for _, orgType := range types {
			_, err := q.SetOrgTypeDefault(ctx, core.SetOrgTypeDefaultParams{OrgType: orgType, ProductID: optional(newFloor)})
			if err != nil {
				return "", "", nil, fmt.Errorf("default of %s: %w", orgType, err)
			}
		}
	}
	return oldFloor, newFloor, types, tx.Commit()
}

// renumber gives the tiers of a ladder the ranks 0, 1, 2 … in the given order,
// or in the order they stand in.
func renumber(ctx context.Context, q *core.Queries, ladderID string, order []string) error {
	tiers, err := q.ListTiers(ctx, ladderID)
	if err != nil {
		return fmt.Errorf("tiers of %s: %w", ladderID, err)
	}
	var current []string
	for _, t := range tiers {
		current = append(current, t.TierID)
	}
	if order == nil {
		order = current
	}
	if !sameTiers(order, current) {
		return fmt.Errorf("ladder %s: %w", ladderID, ErrUnknownTiers)
	}
	for rank, tierID := range order {
		if _, err := q.SetTierRank(ctx, core.SetTierRankParams{TierID: tierID, Rank: int32(rank)}); err != nil {
			return fmt.Errorf("rank of tier %s: %w", tierID, err)
		}
	}
	return nil
}

func sameTiers(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// poolsOf lists the pools of holders in ascending order, each once.
func poolsOf(holders []core.ListTierHoldersRow) []string {
	var pools []string
	for _, h := range holders {
		pools = append(pools, h.PoolID)
	}
	slices.Sort(pools)
	return slices.Compact(pools)
}
