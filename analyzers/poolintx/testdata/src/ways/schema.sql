CREATE TABLE accounts (id bigint PRIMARY KEY, cents bigint NOT NULL);
