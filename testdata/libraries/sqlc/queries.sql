-- name: LockAccount :one
SELECT balance FROM accounts WHERE id = $1 FOR UPDATE;

-- name: LockEntries :many
SELECT id FROM entries WHERE account_id = ANY($1::bigint[]) ORDER BY id FOR UPDATE SKIP LOCKED;

-- name: SetBalance :exec
UPDATE accounts SET balance = @balance WHERE id = @id;
