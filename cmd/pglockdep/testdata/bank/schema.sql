CREATE TABLE accounts (
  id bigint PRIMARY KEY,
  balance bigint NOT NULL
);
CREATE TABLE entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id),
  amount bigint NOT NULL
);
