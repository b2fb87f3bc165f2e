-- name: InsertLadder :one
INSERT INTO core.ladders (name) VALUES (sqlc.arg(name))
RETURNING ladder_id;

-- name: InsertTier :one
INSERT INTO core.tiers (ladder_id, product_id, rank)
VALUES (sqlc.arg(ladder_id), sqlc.arg(product_id), sqlc.arg(rank))
RETURNING tier_id;

-- name: GetTier :one
SELECT tier_id, ladder_id, product_id, rank FROM core.tiers
WHERE tier_id = sqlc.arg(tier_id);

-- name: ListTiers :many
SELECT tier_id, product_id, rank FROM core.tiers
WHERE ladder_id = sqlc.arg(ladder_id)
ORDER BY rank;

-- name: DeleteTier :execrows
DELETE FROM core.tiers
WHERE tier_id = sqlc.arg(tier_id);

-- name: SetTierRank :execrows
UPDATE core.tiers SET rank = sqlc.arg(rank)
WHERE tier_id = sqlc.arg(tier_id) AND rank <> sqlc.arg(rank);

-- name: InsertProduct :one
INSERT INTO core.products (name) VALUES (sqlc.arg(name))
RETURNING product_id;

-- name: InsertEntitlementSet :one
INSERT INTO core.entitlement_sets (name) VALUES (sqlc.arg(name))
RETURNING set_id;

-- name: InsertSetRule :exec
INSERT INTO core.entitlement_set_rules (set_id, resource_key, amount)
VALUES (sqlc.arg(set_id), sqlc.arg(resource_key), sqlc.arg(amount));

-- name: AttachSet :exec
INSERT INTO core.product_sets (product_id, set_id)
VALUES (sqlc.arg(product_id), sqlc.arg(set_id));

-- name: InsertOrgType :exec
INSERT INTO core.org_types (org_type, default_product_id)
VALUES (sqlc.arg(org_type), sqlc.narg(default_product_id));

-- name: ListOrgTypesWithDefault :many
SELECT org_type FROM core.org_types
WHERE default_product_id = sqlc.arg(product_id)::uuid
ORDER BY org_type;
