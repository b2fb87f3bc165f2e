-- name: LockEntitlementSet :one
SELECT set_id, name, revision FROM core.entitlement_sets
WHERE set_id = sqlc.arg(set_id)
FOR UPDATE;

-- name: CommitRuleChange :one
SELECT core.commit_rule_change(sqlc.arg(batch_id)::uuid, sqlc.arg(set_id)::uuid, sqlc.arg(resource_key)::text, sqlc.arg(amount)::bigint)::uuid AS change_id;

-- name: SettleObligation :one
SELECT core.settle_obligation(sqlc.arg(change_id)::uuid, sqlc.arg(pool_id)::uuid)::boolean AS settled;

-- name: ListPoolsCarryingSet :many
SELECT DISTINCT p.pool_id
FROM core.provisions p
JOIN core.product_sets ps ON ps.product_id = p.product_id
WHERE ps.set_id = sqlc.arg(set_id) AND p.status = 'live'
ORDER BY p.pool_id;

-- name: ListOwedPools :many
SELECT DISTINCT o.pool_id
FROM core.entitlement_set_change_obligations o
JOIN core.entitlement_set_changes c ON c.change_id = o.change_id
WHERE c.batch_id = sqlc.arg(batch_id) AND o.settled_at IS NULL
ORDER BY o.pool_id;

-- name: ListOwedChanges :many
SELECT o.change_id
FROM core.entitlement_set_change_obligations o
JOIN core.entitlement_set_changes c ON c.change_id = o.change_id
WHERE c.batch_id = sqlc.arg(batch_id) AND o.pool_id = sqlc.arg(pool_id) AND o.settled_at IS NULL
ORDER BY c.seq;

-- name: ListOwedBatches :many
SELECT DISTINCT c.batch_id
FROM core.entitlement_set_change_obligations o
JOIN core.entitlement_set_changes c ON c.change_id = o.change_id
WHERE o.settled_at IS NULL
LIMIT 20;

-- name: RecordObligationFailure :execrows
UPDATE core.entitlement_set_change_obligations o
SET attempts = o.attempts + 1, last_error = sqlc.arg(last_error)
FROM core.entitlement_set_changes c
WHERE c.change_id = o.change_id AND c.batch_id = sqlc.arg(batch_id)
  AND o.pool_id = sqlc.arg(pool_id) AND o.settled_at IS NULL;
