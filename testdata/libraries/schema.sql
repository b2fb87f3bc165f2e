CREATE TABLE accounts (id bigint PRIMARY KEY, owner text NOT NULL, balance bigint NOT NULL);
CREATE TABLE entries (id bigint PRIMARY KEY, account_id bigint NOT NULL, amount bigint NOT NULL);
CREATE TABLE holds (id bigint PRIMARY KEY, account_id bigint NOT NULL);
CREATE TABLE receipts (id bigint PRIMARY KEY, account_id bigint NOT NULL);
