-- name: LockLifecycleInstance :exec
SELECT pg_advisory_xact_lock(hashtextextended('lifecycle:' || sqlc.arg(instance_id)::text, 0));

-- name: LatestLifecycleGeneration :one
SELECT coalesce(max(generation), 0)::bigint AS generation
FROM integration.lifecycle_requests
WHERE instance_id = sqlc.arg(instance_id);

-- name: GetLifecycleRequestAt :one
SELECT request_id, instance_id, generation, operation, content, person_id, status
FROM integration.lifecycle_requests
WHERE instance_id = sqlc.arg(instance_id) AND generation = sqlc.arg(generation);

-- name: GetLifecycleRequest :one
SELECT request_id, instance_id, generation, operation, content, person_id, status
FROM integration.lifecycle_requests
WHERE request_id = sqlc.arg(request_id);

-- name: InsertLifecycleRequest :one
INSERT INTO integration.lifecycle_requests (instance_id, generation, operation, content, person_id)
VALUES (sqlc.arg(instance_id), sqlc.arg(generation), sqlc.arg(operation), sqlc.arg(content), sqlc.arg(person_id))
RETURNING request_id;

-- name: StartLifecycleRequest :execrows
UPDATE integration.lifecycle_requests SET status = 'started'
WHERE request_id = sqlc.arg(request_id) AND status = 'accepted';

-- name: FinishLifecycleRequest :execrows
UPDATE integration.lifecycle_requests SET status = sqlc.arg(status), outcome = sqlc.arg(outcome)
WHERE request_id = sqlc.arg(request_id) AND status IN ('accepted', 'started');

-- name: DeleteUnstartedLifecycleRequest :execrows
DELETE FROM integration.lifecycle_requests
WHERE request_id = sqlc.arg(request_id) AND status = 'accepted';
