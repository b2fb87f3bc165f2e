CREATE TABLE ledger_accounts (
    id      bigint PRIMARY KEY,
    balance bigint NOT NULL DEFAULT 0
);

CREATE TABLE ledger_entries (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    debit   bigint NOT NULL REFERENCES ledger_accounts (id),
    credit  bigint NOT NULL REFERENCES ledger_accounts (id),
    cents   bigint NOT NULL CHECK (cents > 0),
    day     date   NOT NULL
);

CREATE TABLE ledger_days (
    day    date PRIMARY KEY,
    closed boolean NOT NULL DEFAULT false
);

-- Both accounts are locked before either is changed, the lower id first.
CREATE FUNCTION post_entry(p_debit bigint, p_credit bigint, p_cents bigint, p_day date) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    entry bigint;
BEGIN
    PERFORM 1 FROM ledger_accounts WHERE id IN (p_debit, p_credit) ORDER BY id FOR NO KEY UPDATE;
    UPDATE ledger_accounts SET balance = balance - p_cents WHERE id = p_debit;
    UPDATE ledger_accounts SET balance = balance + p_cents WHERE id = p_credit;
    INSERT INTO ledger_entries (debit, credit, cents, day)
    VALUES (p_debit, p_credit, p_cents, p_day)
    RETURNING id INTO entry;
    RETURN entry;
END;
$$;
