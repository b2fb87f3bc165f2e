package entitlements

import (
	"context"
	"fmt"
	"time"

	"example.test/memberconsole/internal/core"
)

// Grant describes a grant to be issued.
type Grant struct {
	OrgID    string
	PoolID   string
	Product  string
	Quantity int32
	Reason   string
	EndsAt   time.Time
}

// ConferGrant issues a grant in a transaction of its own.
func (s *Service) ConferGrant(ctx context.Context, g Grant) (string, error) {
	tx, err := BeginMaterializing(ctx, s.db)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	if g.PoolID == "" {
		g.PoolID, err = tx.Queries().GetDefaultPool(ctx, g.OrgID)
		if err != nil {
			return "", fmt.Errorf("default pool of %s: %w", g.OrgID, err)
		}
	}
	id, err := s.ConferGrantTx(ctx, tx, g)
	if err != nil {
		return "", err
	}
	if err := tx.Commit(); err != nil {
		return "", fmt.Errorf("confer grant: %w", err)
	}
	return id, nil
}

// ConferGrantTx issues a grant, confers its product on the pool and
// materializes the pool.
func (s *Service) ConferGrantTx(ctx context.Context, h Held, g Grant) (string, error) {
	q := h.Queries()
	grantID, err := q.InsertGrant(ctx, core.InsertGrantParams{
		OrgID:     optional(g.OrgID),
		ProductID: g.Product,
		Status:    "active",
		Reason:    g.Reason,
		StartsAt:  s.now(),
		EndsAt:    optionalTime(g.EndsAt),
	})
	if err != nil {
		return "", fmt.Errorf("insert grant: %w", err)
	}
	_, err = q.Confer(ctx, core.ConferParams{
		PoolID:     g.PoolID,
		ProductID:  g.Product,
		SourceKind: SourceGrant,
		SourceID:   grantID,
		Quantity:   max(g.Quantity, 1),
	})
	if err != nil {
		return "", fmt.Errorf("confer grant %s: %w", grantID, err)
	}
	return grantID, s.Materialize(ctx, h, g.PoolID)
}

// RevokeGrantTx revokes the head of a grant's lineage and gives the pool what
// is left to it.
func (s *Service) RevokeGrantTx(ctx context.Context, tx *Materializing, grantID, reason string) error {
	q := tx.Queries()
	poolID, err := s.poolOf(ctx, q, grantID)
	if err != nil {
		return fmt.Errorf("revoke %s: %w", grantID, err)
	}
	if err := LockPools(ctx, q, poolID); err != nil {
		return fmt.Errorf("revoke %s: %w", grantID, err)
	}
	head, err := q.GetGrantLineageHeadForUpdate(ctx, grantID)
	if err != nil {
		return fmt.Errorf("revoke %s: lineage head: %w", grantID, err)
	}
	if _, err := q.SetGrantStatus(ctx, core.SetGrantStatusParams{GrantID: head.GrantID, Status: "revoked"}); err != nil {
		return fmt.Errorf("revoke %s: %w", grantID, err)
	}
	if err := endGrant(ctx, q, head.GrantID, reason); err != nil {
		return fmt.Errorf("revoke %s: %w", grantID, err)
	}
	return s.settleEnding(ctx, tx, poolID)
}

// ExpireGrantTx ends a grant whose time is over. A grant of no organization
// only changes its status.
func (s *Service) ExpireGrantTx(ctx context.Context, tx *Materializing, grantID string) error {
	q := tx.Queries()
	poolID, found, err := LockPoolOfGrant(ctx, q, grantID)
	if err != nil {
		return fmt.Errorf("expire: %w", err)
	}
	if _, err := q.SetGrantStatus(ctx, core.SetGrantStatusParams{GrantID: grantID, Status: "expired"}); err != nil {
		return fmt.Errorf("expire %s: %w", grantID, err)
	}
	if !found {
		return nil
	}
	if err := endGrant(ctx, q, grantID, "expired"); err != nil {
		return fmt.Errorf("expire %s: %w", grantID, err)
	}
	return s.settleEnding(ctx, tx, poolID)
}

// ExtendWaitingGrantTx moves the end of a grant that has not started yet.
func (s *Service) ExtendWaitingGrantTx(ctx context.Context, tx *Materializing, grantID string, until time.Time) error {
	q := tx.Queries()
	if _, found, err := LockPoolOfGrant(ctx, q, grantID); err != nil {
		return fmt.Errorf("extend waiting: %w", err)
	} else if !found {
		return fmt.Errorf("extend waiting %s: %w", grantID, ErrNoPool)
	}
	head, err := q.GetGrantLineageHeadForUpdate(ctx, grantID)
	if err != nil {
		return fmt.Errorf("extend waiting %s: lineage head: %w", grantID, err)
	}
	_, err = q.SetGrantEnd(ctx, core.SetGrantEndParams{GrantID: head.GrantID, EndsAt: optionalTime(until)})
	if err != nil {
		return fmt.Errorf("extend waiting %s: %w", grantID, err)
	}
	return nil
}

// ManageGrantTx extends a grant, whether it runs already or still waits.
func (s *Service) ManageGrantTx(ctx context.Context, tx *Materializing, grantID string, until time.Time) error {
	q := tx.Queries()
	poolID, err := s.poolOf(ctx, q, grantID)
	if err != nil {
		return fmt.Errorf("manage %s: %w", grantID, err)
	}
	if err := LockPools(ctx, q, poolID); err != nil {
		return fmt.Errorf("manage %s: %w", grantID, err)
	}
	head, err := q.GetGrantLineageHeadForUpdate(ctx, grantID)
	if err != nil {
		return fmt.Errorf("manage %s: lineage head: %w", grantID, err)
	}
	if head.Status == "waiting" {
		return s.ExtendWaitingGrantTx(ctx, tx, head.GrantID, until)
	}
	return s.ExtendGrantTx(ctx, tx, head, poolID, until)
}

// ExtendGrantTx puts a new head on a lineage and moves the provision to it.
// The caller has locked the pool and the old head.
func (s *Service) ExtendGrantTx(ctx context.Context, tx *Materializing, head core.GetGrantLineageHeadForUpdateRow, poolID string, until time.Time) error {
	q := tx.Queries()
	next, err := q.InsertGrant(ctx, core.InsertGrantParams{
		OrgID:          head.OrgID,
		ProductID:      head.ProductID,
		ExtendsGrantID: optional(head.GrantID),
		Status:         "active",
		Reason:         "extension",
		StartsAt:       s.now(),
		EndsAt:         optionalTime(until),
	})
	if err != nil {
		return fmt.Errorf("extend %s: %w", head.GrantID, err)
	}
	_, err = q.Confer(ctx, core.ConferParams{
		PoolID:     poolID,
		ProductID:  head.ProductID,
		SourceKind: SourceGrant,
		SourceID:   next,
		Quantity:   1,
	})
	if err != nil {
		return fmt.Errorf("extend %s: confer: %w", head.GrantID, err)
	}
	if err := endGrant(ctx, q, head.GrantID, "extended"); err != nil {
		return fmt.Errorf("extend %s: %w", head.GrantID, err)
	}
	if _, err := q.SetGrantStatus(ctx, core.SetGrantStatusParams{GrantID: head.GrantID, Status: "expired"}); err != nil {
		return fmt.Errorf("extend %s: %w", head.GrantID, err)
	}
	return s.Materialize(ctx, tx, poolID)
}

// ResumeReplacedGrantsTx gives vacant ladders of a pool back to the best grant
// that was replaced there. It reads the candidates only once the pool is
// locked, so every act on them is either done or still to come.
func (s *Service) ResumeReplacedGrantsTx(ctx context.Context, h Held, poolID string) error {
	q := h.Queries()
	if err := LockPools(ctx, q, poolID); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	resumable, err := q.ListResumableGrants(ctx, poolID)
	if err != nil {
		return fmt.Errorf("resume on %s: %w", poolID, err)
	}
	for _, g := range resumable {
		_, err := q.Confer(ctx, core.ConferParams{
			PoolID:     poolID,
			ProductID:  g.ProductID,
			SourceKind: SourceGrant,
			SourceID:   g.GrantID,
			Quantity:   g.Quantity,
		})
		if err != nil {
			return fmt.Errorf("resume grant %s: %w", g.GrantID, err)
		}
		if _, err := q.SetGrantStatus(ctx, core.SetGrantStatusParams{GrantID: g.GrantID, Status: "active"}); err != nil {
			return fmt.Errorf("resume grant %s: %w", g.GrantID, err)
		}
	}
	return nil
}

// settleEnding is what every ending of a plan does once the positions ended.
func (s *Service) settleEnding(ctx context.Context, h Held, poolID string) error {
	if err := s.ResumeReplacedGrantsTx(ctx, h, poolID); err != nil {
		return err
	}
	if err := s.ReapplyDefaultsIfVacant(ctx, h, poolID); err != nil {
		return err
	}
	return s.Materialize(ctx, h, poolID)
}

// poolOf reads the default pool of the organization a grant names.
func (s *Service) poolOf(ctx context.Context, q *core.Queries, grantID string) (string, error) {
	g, err := q.GetGrant(ctx, grantID)
	if err != nil {
		return "", err
	}
	if !g.OrgID.Valid {
		return "", ErrNoPool
	}
	return q.GetDefaultPool(ctx, g.OrgID.String)
}

func endGrant(ctx context.Context, q *core.Queries, grantID, reason string) error {
	_, err := q.EndConferral(ctx, core.EndConferralParams{
		SourceKind: SourceGrant,
		SourceID:   grantID,
		Reason:     reason,
	})
	return err
}
