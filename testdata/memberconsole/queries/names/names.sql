-- name: InsertName :exec
INSERT INTO domains.names (name, owner_kind, owner_id, state)
VALUES (sqlc.arg(name), sqlc.arg(owner_kind), sqlc.arg(owner_id), sqlc.arg(state));

-- name: SetNameState :execrows
UPDATE domains.names SET state = sqlc.arg(state)
WHERE name = sqlc.arg(name) AND owner_id = sqlc.arg(owner_id);

-- name: DeleteName :execrows
DELETE FROM domains.names
WHERE name = sqlc.arg(name) AND owner_id = sqlc.arg(owner_id);

-- name: CountOverlappingNames :one
SELECT count(*) FROM domains.names n
WHERE n.owner_id <> sqlc.arg(owner_id)
  AND (n.name = sqlc.arg(name) OR n.name LIKE '%.' || sqlc.arg(name)::text OR sqlc.arg(name)::text LIKE '%.' || n.name);

-- name: ListNamesOfKind :many
SELECT name, owner_id, state FROM domains.names
WHERE owner_kind = sqlc.arg(owner_kind)
ORDER BY name;
