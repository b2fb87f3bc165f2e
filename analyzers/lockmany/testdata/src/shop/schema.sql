CREATE TABLE accounts (id bigint PRIMARY KEY, owner bigint NOT NULL, cents bigint NOT NULL DEFAULT 0);
CREATE TABLE entries (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts (id), cents bigint NOT NULL);
CREATE TABLE jobs (id bigint PRIMARY KEY, queue text NOT NULL, state text NOT NULL);
CREATE TABLE modules (name text PRIMARY KEY);
