-- name: UpsertSubscription :exec
INSERT INTO core.subscriptions (subscription_id, org_id, status)
VALUES (sqlc.arg(subscription_id), sqlc.arg(org_id), sqlc.arg(status))
ON CONFLICT (subscription_id) DO UPDATE SET status = EXCLUDED.status, synced_at = now();

-- name: UpsertScheduledChange :exec
INSERT INTO core.subscription_scheduled_changes (subscription_id, schedule_id, kind, product_id)
VALUES (sqlc.arg(subscription_id), sqlc.arg(schedule_id), sqlc.arg(kind), sqlc.arg(product_id))
ON CONFLICT (schedule_id, product_id) DO UPDATE SET kind = EXCLUDED.kind;

-- name: CountScheduledDowngrades :one
SELECT count(*) FROM core.subscription_scheduled_changes
WHERE schedule_id = sqlc.arg(schedule_id) AND kind = 'downgrade' AND status = 'scheduled';

-- name: SupersedeDowngrades :execrows
UPDATE core.subscription_scheduled_changes SET status = 'superseded'
WHERE schedule_id = sqlc.arg(schedule_id) AND kind = 'downgrade' AND status = 'scheduled';
