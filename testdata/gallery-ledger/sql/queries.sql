-- name: OpenBooks :exec
-- pglockdep:lock name="Books" serializes="Entries are posted under the shared lock, a day is closed under the exclusive one."
SELECT pg_advisory_xact_lock_shared(hashtextextended('books', 0));

-- name: CloseBooks :exec
SELECT pg_advisory_xact_lock(hashtextextended('books', 0));

-- name: PostEntry :one
SELECT post_entry($1, $2, $3, $4);

-- name: LockDay :one
SELECT closed FROM ledger_days WHERE day = $1 FOR UPDATE;

-- name: CloseDay :exec
UPDATE ledger_days SET closed = true WHERE day = $1;

-- name: ZeroAccounts :exec
UPDATE ledger_accounts SET balance = 0 WHERE balance < 10;
