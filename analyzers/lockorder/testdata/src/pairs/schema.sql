CREATE TABLE accounts (id bigint PRIMARY KEY, cents bigint NOT NULL DEFAULT 0);
CREATE TABLE seats (id text PRIMARY KEY);
CREATE TABLE tills (id bigint PRIMARY KEY);
CREATE TABLE desks (id bigint PRIMARY KEY);
CREATE TABLE rooms (id bigint PRIMARY KEY);
CREATE TABLE doors (id bigint PRIMARY KEY);
