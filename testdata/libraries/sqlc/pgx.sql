-- name: LockEach :batchone
SELECT balance FROM accounts WHERE id = $1 FOR UPDATE;

-- name: CopyEntries :copyfrom
INSERT INTO entries (id, account_id, amount) VALUES ($1, $2, $3);
