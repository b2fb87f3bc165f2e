-- name: AssertRendezvous :exec
SELECT core.assert_rendezvous();

-- name: Confer :one
SELECT core.confer(sqlc.arg(pool_id)::uuid, sqlc.arg(product_id)::uuid, sqlc.arg(source_kind)::text, sqlc.arg(source_id)::text, sqlc.arg(quantity)::integer)::uuid AS provision_id;

-- name: EndConferral :one
SELECT core.end_conferral(sqlc.arg(source_kind)::text, sqlc.arg(source_id)::text, sqlc.narg(product_id)::uuid, sqlc.arg(reason)::text)::integer AS ended;

-- name: AlignConferralShape :one
SELECT core.align_conferral_shape(sqlc.arg(provision_id)::uuid)::boolean AS aligned;

-- name: UpdateConferralBounds :exec
SELECT core.update_conferral_bounds(sqlc.arg(provision_id)::uuid, sqlc.arg(quantity)::integer);

-- name: SyncSourceStatus :one
SELECT core.sync_source_status(sqlc.arg(source_kind)::text, sqlc.arg(source_id)::text, sqlc.arg(suspended)::boolean)::integer AS changed;

-- name: ListSourceProvisions :many
SELECT provision_id, product_id, quantity, status
FROM core.provisions
WHERE source_kind = sqlc.arg(source_kind) AND source_id = sqlc.arg(source_id) AND status <> 'ended'
ORDER BY created_at;

-- name: ListLiveProvisionsOfProduct :many
SELECT provision_id, pool_id
FROM core.provisions
WHERE product_id = sqlc.arg(product_id) AND status = 'live'
ORDER BY created_at;

-- name: ListProvisionsOfPool :many
SELECT provision_id, product_id, source_kind, source_id, status
FROM core.provisions
WHERE pool_id = sqlc.arg(pool_id) AND status IN ('live', 'replaced')
ORDER BY rank NULLS LAST, created_at;

-- name: ListTierHolders :many
SELECT provision_id, pool_id, source_kind, source_id
FROM core.provisions
WHERE product_id = sqlc.arg(product_id) AND status IN ('live', 'replaced');

-- name: CountLiveProvisions :one
SELECT count(*) FROM core.provisions
WHERE pool_id = sqlc.arg(pool_id) AND status = 'live';

-- name: ComputeEntitlements :many
SELECT r.resource_key, sum(r.amount * p.quantity)::bigint AS amount
FROM core.provisions p
JOIN core.product_sets ps ON ps.product_id = p.product_id
JOIN core.entitlement_set_rules r ON r.set_id = ps.set_id
WHERE p.pool_id = sqlc.arg(pool_id) AND p.status = 'live'
GROUP BY r.resource_key
ORDER BY r.resource_key COLLATE "C";

-- name: UpsertEntitlement :exec
INSERT INTO core.entitlements (pool_id, resource_key, amount)
VALUES (sqlc.arg(pool_id), sqlc.arg(resource_key), sqlc.arg(amount))
ON CONFLICT (pool_id, resource_key) DO UPDATE SET amount = EXCLUDED.amount;

-- name: DeleteVacantEntitlements :execrows
DELETE FROM core.entitlements e
WHERE e.pool_id = sqlc.arg(pool_id)
  AND NOT EXISTS (
      SELECT 1
      FROM core.provisions p
      JOIN core.product_sets ps ON ps.product_id = p.product_id
      JOIN core.entitlement_set_rules r ON r.set_id = ps.set_id
      WHERE p.pool_id = e.pool_id AND p.status = 'live' AND r.resource_key = e.resource_key
  );

-- name: ListEntitlements :many
SELECT resource_key, amount FROM core.entitlements
WHERE pool_id = sqlc.arg(pool_id)
ORDER BY resource_key;
