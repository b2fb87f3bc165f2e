package entitlements

import (
	"context"
	"errors"
	"fmt"

	"example.test/memberconsole/internal/core"
)

// Bucket says what a change of the default does to one organization.
type Bucket int

const (
	// FillVacant confers the new default where nothing is live.
	FillVacant Bucket = iota
	// Grandfather keeps the old default through a grant of its own.
	Grandfather
	// Migrate ends the old default and lets the new one take its place.
	Migrate
)

// DefaultChange is a change of an organization type's default product.
type DefaultChange struct {
	OrgType    string
	OldProduct string
	NewProduct string
	Bucket     Bucket
}

// ProvisionOrganization creates an organization with its default pool and a
// first workspace, and gives the pool the default of its type.
func (s *Service) ProvisionOrganization(ctx context.Context, name, orgType, slug string) (string, error) {
	tx, err := BeginMaterializing(ctx, s.db)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	q := tx.Queries()
	orgID, err := q.InsertOrganization(ctx, core.InsertOrganizationParams{Name: name, OrgType: orgType})
	if err != nil {
		return "", fmt.Errorf("insert organization: %w", err)
	}
	poolID, err := q.InsertDefaultPool(ctx, orgID)
	if err != nil {
		return "", fmt.Errorf("insert pool: %w", err)
	}
	if _, err := q.InsertWorkspace(ctx, core.InsertWorkspaceParams{OrgID: orgID, Slug: slug}); err != nil {
		return "", fmt.Errorf("insert workspace: %w", err)
	}
	if err := s.ReapplyDefaultsForPool(ctx, tx, poolID); err != nil {
		return "", err
	}
	if err := tx.Commit(); err != nil {
		return "", fmt.Errorf("provision %s: %w", name, err)
	}
	return orgID, nil
}

// ReapplyDefaultsIfVacant restores the floor of a pool on which nothing is
// live.
func (s *Service) ReapplyDefaultsIfVacant(ctx context.Context, h Held, poolID string) error {
	live, err := h.Queries().CountLiveProvisions(ctx, poolID)
	if err != nil {
		return fmt.Errorf("count provisions of %s: %w", poolID, err)
	}
	if live > 0 {
		return nil
	}
	return s.ReapplyDefaultsForPool(ctx, h, poolID)
}

// ReapplyDefaultsForPool confers the default of the pool's organization type,
// if the type has one.
func (s *Service) ReapplyDefaultsForPool(ctx context.Context, h Held, poolID string) error {
	q := h.Queries()
	floor, err := q.GetPoolFloor(ctx, poolID)
	if err != nil {
		return fmt.Errorf("floor of %s: %w", poolID, err)
	}
	if !floor.Valid {
		return nil
	}
	orgID, err := q.GetPoolOrg(ctx, poolID)
	if err != nil {
		return fmt.Errorf("organization of %s: %w", poolID, err)
	}
	_, err = s.ConferGrantTx(ctx, h, Grant{OrgID: orgID, PoolID: poolID, Product: floor.String, Reason: "default"})
	return err
}

// ChangeOrgTypeDefault saves a new default and enacts it on each organization
// of the type. An organization that fails does not hold up the others.
func (s *Service) ChangeOrgTypeDefault(ctx context.Context, orgType, productID string, bucket Bucket) error {
	q := core.New(s.db)
	old, err := q.GetOrgTypeDefault(ctx, orgType)
	if err != nil {
		return fmt.Errorf("default of %s: %w", orgType, err)
	}
	_, err = q.SetOrgTypeDefault(ctx, core.SetOrgTypeDefaultParams{OrgType: orgType, ProductID: optional(productID)})
	if err != nil {
		return fmt.Errorf("save default of %s: %w", orgType, err)
	}
	return s.enactAll(ctx, DefaultChange{
		OrgType:    orgType,
		OldProduct: old.String,
		NewProduct: productID,
		Bucket:     bucket,
	})
}

func (s *Service) enactAll(ctx context.Context, change DefaultChange) error {
	orgs, err := core.New(s.db).ListOrganizationsOfType(ctx, change.OrgType)
	if err != nil {
		return fmt.Errorf("organizations of %s: %w", change.OrgType, err)
	}
	var failed []error
	for _, o := range orgs {
		if err := s.EnactDefault(ctx, o.OrgID, o.PoolID, change); err != nil {
			s.log.WarnContext(ctx, "default not enacted", "org", o.OrgID, "error", err)
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// EnactDefault carries a change of the default out on one organization.
func (s *Service) EnactDefault(ctx context.Context, orgID, poolID string, change DefaultChange) error {
	tx, err := BeginMaterializing(ctx, s.db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := LockPools(ctx, tx.Queries(), poolID); err != nil {
		return fmt.Errorf("enact default on %s: %w", orgID, err)
	}
	switch change.Bucket {
	case Grandfather:
		_, err = s.ConferGrantTx(ctx, tx, Grant{OrgID: orgID, PoolID: poolID, Product: change.OldProduct, Reason: "grandfathered"})
	case Migrate:
		err = s.migrateDefault(ctx, tx, poolID, change.OldProduct)
	default:
		err = s.ReapplyDefaultsIfVacant(ctx, tx, poolID)
	}
	if err != nil {
		return fmt.Errorf("enact default on %s: %w", orgID, err)
	}
	return tx.Commit()
}

func (s *Service) migrateDefault(ctx context.Context, tx *Materializing, poolID, oldProduct string) error {
	q := tx.Queries()
	provisions, err := q.ListProvisionsOfPool(ctx, poolID)
	if err != nil {
		return err
	}
	for _, p := range provisions {
		if p.ProductID != oldProduct || p.SourceKind != SourceGrant {
			continue
		}
		if err := endGrant(ctx, q, p.SourceID, "default changed"); err != nil {
			return err
		}
	}
	if err := s.ReapplyDefaultsIfVacant(ctx, tx, poolID); err != nil {
		return err
	}
	return s.Materialize(ctx, tx, poolID)
}
