-- name: InsertGrant :one
INSERT INTO core.grants (org_id, product_id, extends_grant_id, status, reason, starts_at, ends_at)
VALUES (sqlc.narg(org_id), sqlc.arg(product_id), sqlc.narg(extends_grant_id), sqlc.arg(status), sqlc.arg(reason), sqlc.arg(starts_at), sqlc.narg(ends_at))
RETURNING grant_id;

-- name: GetGrant :one
SELECT grant_id, org_id, product_id, extends_grant_id, status, reason, resumable, starts_at, ends_at
FROM core.grants
WHERE grant_id = sqlc.arg(grant_id);

-- name: GetGrantLineageHeadForUpdate :one
WITH RECURSIVE lineage AS (
    SELECT l.grant_id FROM core.grants l WHERE l.grant_id = sqlc.arg(grant_id)
    UNION ALL
    SELECT c.grant_id FROM core.grants c JOIN lineage l ON c.extends_grant_id = l.grant_id
)
SELECT g.grant_id, g.org_id, g.product_id, g.status, g.ends_at
FROM core.grants g
JOIN lineage ON lineage.grant_id = g.grant_id
WHERE NOT EXISTS (SELECT 1 FROM core.grants n WHERE n.extends_grant_id = g.grant_id)
FOR UPDATE OF g;

-- name: SetGrantStatus :execrows
UPDATE core.grants SET status = sqlc.arg(status)
WHERE grant_id = sqlc.arg(grant_id);

-- name: SetGrantEnd :execrows
UPDATE core.grants SET ends_at = sqlc.narg(ends_at)
WHERE grant_id = sqlc.arg(grant_id);

-- name: ListResumableGrants :many
SELECT DISTINCT ON (p.ladder_id) g.grant_id, g.product_id, p.quantity
FROM core.grants g
JOIN core.provisions p ON p.source_kind = 'grant' AND p.source_id = g.grant_id::text
WHERE p.pool_id = sqlc.arg(pool_id) AND g.status = 'replaced' AND g.resumable
  AND (g.ends_at IS NULL OR g.ends_at > now())
  AND NOT EXISTS (
      SELECT 1 FROM core.provisions i
      WHERE i.pool_id = p.pool_id AND i.ladder_id = p.ladder_id AND i.status = 'live'
  )
ORDER BY p.ladder_id, p.rank DESC NULLS LAST, g.starts_at DESC;

-- name: ListExpiredGrants :many
SELECT grant_id FROM core.grants
WHERE status IN ('active', 'replaced') AND ends_at <= sqlc.arg(as_of)
ORDER BY ends_at
LIMIT 100;
