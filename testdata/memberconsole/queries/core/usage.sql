-- name: LockNumericUsage :one
SELECT used FROM core.numeric_entitlement_usage
WHERE pool_id = sqlc.arg(pool_id) AND resource_key = sqlc.arg(resource_key)
FOR UPDATE;

-- name: EnsureNumericUsage :exec
INSERT INTO core.numeric_entitlement_usage (pool_id, resource_key)
VALUES (sqlc.arg(pool_id), sqlc.arg(resource_key))
ON CONFLICT DO NOTHING;

-- name: AtomicIncrementUsage :one
UPDATE core.numeric_entitlement_usage u SET used = u.used + 1
FROM core.entitlements e
WHERE u.pool_id = sqlc.arg(pool_id) AND u.resource_key = sqlc.arg(resource_key)
  AND e.pool_id = u.pool_id AND e.resource_key = u.resource_key AND u.used < e.amount
RETURNING u.used;

-- name: AtomicDecrementUsage :one
UPDATE core.numeric_entitlement_usage SET used = used - 1
WHERE pool_id = sqlc.arg(pool_id) AND resource_key = sqlc.arg(resource_key) AND used > 0
RETURNING used;

-- name: RaiseNumericUsageTo :execrows
UPDATE core.numeric_entitlement_usage SET used = sqlc.arg(used)
WHERE pool_id = sqlc.arg(pool_id) AND resource_key = sqlc.arg(resource_key) AND used < sqlc.arg(used);

-- name: BoundNumericUsage :execrows
UPDATE core.numeric_entitlement_usage SET used = sqlc.arg(used)
WHERE pool_id = sqlc.arg(pool_id) AND resource_key = sqlc.arg(resource_key) AND used > sqlc.arg(used);

-- name: InsertResourceKey :exec
INSERT INTO core.resource_keys (resource_key) VALUES (sqlc.arg(resource_key))
ON CONFLICT DO NOTHING;

-- name: SetResourceKeyProvider :execrows
UPDATE core.resource_keys SET provider = sqlc.arg(provider)::text
WHERE resource_key = sqlc.arg(resource_key) AND provider IS DISTINCT FROM sqlc.arg(provider)::text;
