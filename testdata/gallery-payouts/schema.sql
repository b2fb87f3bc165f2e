CREATE TABLE payees (
    id      bigint PRIMARY KEY,
    balance bigint NOT NULL
);

CREATE TABLE payouts (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payee_id bigint NOT NULL REFERENCES payees (id),
    cents    bigint NOT NULL,
    state    text   NOT NULL DEFAULT 'new'
);
