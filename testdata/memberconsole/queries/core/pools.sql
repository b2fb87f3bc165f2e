-- name: LockResourcePool :one
SELECT pool_id FROM core.resource_pools
WHERE pool_id = sqlc.arg(pool_id)
FOR UPDATE;

-- name: LockGrantPool :one
SELECT p.pool_id
FROM core.resource_pools p
JOIN core.grants g ON g.org_id = p.org_id
WHERE g.grant_id = sqlc.arg(grant_id) AND p.is_default
FOR UPDATE OF p;

-- name: GetDefaultPool :one
SELECT pool_id FROM core.resource_pools
WHERE org_id = sqlc.arg(org_id) AND is_default;

-- name: InsertOrganization :one
INSERT INTO core.organizations (name, org_type)
VALUES (sqlc.arg(name), sqlc.arg(org_type))
RETURNING org_id;

-- name: InsertDefaultPool :one
INSERT INTO core.resource_pools (org_id, is_default)
VALUES (sqlc.arg(org_id), true)
RETURNING pool_id;

-- name: InsertWorkspace :one
INSERT INTO core.workspaces (org_id, slug)
VALUES (sqlc.arg(org_id), sqlc.arg(slug))
RETURNING workspace_id;

-- name: GetWorkspacePool :one
SELECT p.pool_id
FROM core.workspaces w
JOIN core.resource_pools p ON p.org_id = w.org_id AND p.is_default
WHERE w.workspace_id = sqlc.arg(workspace_id);

-- name: GetPoolFloor :one
SELECT t.default_product_id
FROM core.resource_pools p
JOIN core.organizations o ON o.org_id = p.org_id
JOIN core.org_types t ON t.org_type = o.org_type
WHERE p.pool_id = sqlc.arg(pool_id);

-- name: GetPoolOrg :one
SELECT org_id FROM core.resource_pools
WHERE pool_id = sqlc.arg(pool_id);

-- name: ListOrganizationsOfType :many
SELECT o.org_id, p.pool_id
FROM core.organizations o
JOIN core.resource_pools p ON p.org_id = o.org_id AND p.is_default
WHERE o.org_type = sqlc.arg(org_type)
ORDER BY o.created_at, o.org_id;

-- name: SetOrgTypeDefault :execrows
UPDATE core.org_types SET default_product_id = sqlc.narg(product_id)
WHERE org_type = sqlc.arg(org_type);

-- name: GetOrgTypeDefault :one
SELECT default_product_id FROM core.org_types
WHERE org_type = sqlc.arg(org_type);

-- name: ListWorkspaces :many
SELECT workspace_id FROM core.workspaces
ORDER BY workspace_id;
