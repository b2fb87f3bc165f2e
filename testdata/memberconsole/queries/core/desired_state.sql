-- name: LockDesiredStateAddress :exec
SELECT pg_advisory_xact_lock(hashtextextended('desired-state:' || sqlc.arg(connection_id)::text || ':' || sqlc.arg(recipient_kind)::text || ':' || sqlc.arg(recipient_id)::text, 0));

-- name: LockDesiredStateRecord :one
SELECT record_id, content, generation FROM core.desired_state_records
WHERE connection_id = sqlc.arg(connection_id)
  AND recipient_kind = sqlc.arg(recipient_kind)
  AND recipient_id = sqlc.arg(recipient_id)
FOR UPDATE;

-- name: InsertDesiredStateRecord :one
INSERT INTO core.desired_state_records (connection_id, recipient_kind, recipient_id, content)
VALUES (sqlc.arg(connection_id), sqlc.arg(recipient_kind), sqlc.arg(recipient_id), sqlc.arg(content))
RETURNING record_id;

-- name: UpdateDesiredStateRecord :execrows
UPDATE core.desired_state_records
SET content = sqlc.arg(content), generation = generation + 1, dispatched_at = NULL
WHERE record_id = sqlc.arg(record_id);

-- name: UpsertProjection :exec
INSERT INTO core.desired_state_projections (record_id, observed_content, observed_generation)
VALUES (sqlc.arg(record_id), sqlc.arg(observed_content), sqlc.arg(observed_generation))
ON CONFLICT (record_id) DO UPDATE
SET observed_content = EXCLUDED.observed_content, observed_generation = EXCLUDED.observed_generation;

-- name: StampDesiredStateRecordsDispatched :execrows
WITH locked AS (
    SELECT record_id FROM core.desired_state_records
    WHERE record_id = ANY (string_to_array(sqlc.arg(record_ids)::text, ',')::uuid[])
    ORDER BY record_id
    FOR UPDATE
)
UPDATE core.desired_state_records r SET dispatched_at = now()
FROM locked
WHERE r.record_id = locked.record_id;

-- name: ClaimDesiredStateOutbox :many
UPDATE core.desired_state_outbox o SET leased_until = now() + interval '1 minute'
WHERE o.notice_id IN (
    SELECT c.notice_id FROM core.desired_state_outbox c
    WHERE c.done_at IS NULL AND (c.leased_until IS NULL OR c.leased_until < now())
    ORDER BY c.notice_id
    LIMIT sqlc.arg(batch)
    FOR UPDATE SKIP LOCKED
)
RETURNING o.notice_id, o.recipient_kind, o.recipient_id;

-- name: FinishDesiredStateNotice :execrows
UPDATE core.desired_state_outbox SET done_at = now()
WHERE notice_id = sqlc.arg(notice_id);

-- name: ListConnections :many
SELECT connection_id, name, endpoint FROM core.connections
ORDER BY connection_id;

-- name: ListUndispatchedRecords :many
SELECT record_id, connection_id, recipient_kind, recipient_id, content, generation
FROM core.desired_state_records
WHERE connection_id = sqlc.arg(connection_id) AND dispatched_at IS NULL
ORDER BY record_id
LIMIT 100;

-- name: ComputePoolContent :one
SELECT coalesce(string_agg(e.resource_key || '=' || e.amount, ',' ORDER BY e.resource_key), '')::text AS content
FROM core.entitlements e
WHERE e.pool_id::text = sqlc.arg(pool_id)::text;

-- name: ComputeSiteContent :one
SELECT (s.domain || '=' || s.status)::text AS content
FROM fedwiki.sites s
WHERE s.site_id::text = sqlc.arg(site_id)::text;

-- name: ListDispatchedRecords :many
SELECT recipient_kind, recipient_id FROM core.desired_state_records
WHERE connection_id = sqlc.arg(connection_id) AND dispatched_at IS NOT NULL
ORDER BY dispatched_at
LIMIT 100;
