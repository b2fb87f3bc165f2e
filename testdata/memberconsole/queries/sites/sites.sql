-- name: LockSiteStatusByDomain :one
SELECT site_id, status FROM fedwiki.sites
WHERE domain = sqlc.arg(domain)
FOR UPDATE;

-- name: InsertSite :one
INSERT INTO fedwiki.sites (workspace_id, domain, status)
VALUES (sqlc.arg(workspace_id), sqlc.arg(domain), sqlc.arg(status))
RETURNING site_id;

-- name: GetSite :one
SELECT site_id, workspace_id, domain, status, rotated_at FROM fedwiki.sites
WHERE site_id = sqlc.arg(site_id);

-- name: SetSiteStatus :execrows
UPDATE fedwiki.sites SET status = sqlc.arg(status)
WHERE domain = sqlc.arg(domain);

-- name: StampSiteRotation :execrows
UPDATE fedwiki.sites SET rotated_at = sqlc.arg(rotated_at)::timestamptz
WHERE site_id = sqlc.arg(site_id);

-- name: MarkSiteDeleted :one
UPDATE fedwiki.sites s SET status = 'deleted'
FROM (SELECT p.site_id, p.status FROM fedwiki.sites p WHERE p.domain = sqlc.arg(domain)) was
WHERE s.site_id = was.site_id AND was.status <> 'deleted'
RETURNING s.site_id, was.status AS previous_status;

-- name: GetActiveSite :one
SELECT site_id, domain FROM fedwiki.sites
WHERE workspace_id = sqlc.arg(workspace_id) AND status = 'active' AND site_id <> sqlc.arg(except_site_id)
ORDER BY rotated_at NULLS FIRST, site_id
LIMIT 1;

-- name: CountSiteSlots :one
SELECT count(*) FROM fedwiki.sites
WHERE workspace_id = sqlc.arg(workspace_id) AND status = 'active';

-- name: ListActiveSites :many
SELECT site_id, domain FROM fedwiki.sites
WHERE workspace_id = sqlc.arg(workspace_id) AND status = 'active'
ORDER BY rotated_at NULLS FIRST, site_id;

-- name: ListSites :many
SELECT site_id, workspace_id, domain, status FROM fedwiki.sites
WHERE status <> 'deleted'
ORDER BY domain;

-- name: GetLastRotation :one
SELECT max(rotated_at)::timestamptz AS last_rotation FROM fedwiki.sites
WHERE workspace_id = sqlc.arg(workspace_id) AND rotated_at IS NOT NULL
HAVING max(rotated_at) IS NOT NULL;

-- name: UpsertSwapPolicy :exec
INSERT INTO fedwiki.swap_policies (workspace_id, last_swap_at)
VALUES (sqlc.arg(workspace_id), sqlc.arg(last_swap_at))
ON CONFLICT (workspace_id) DO UPDATE SET last_swap_at = EXCLUDED.last_swap_at;
