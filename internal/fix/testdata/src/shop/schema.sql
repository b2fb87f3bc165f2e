CREATE TABLE accounts (id bigint PRIMARY KEY, owner bigint NOT NULL, balance bigint NOT NULL);
CREATE TABLE entries ("day" date, "order" int, PRIMARY KEY ("day", "order"));
CREATE TABLE notes (owner bigint NOT NULL);
