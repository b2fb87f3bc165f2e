CREATE TABLE jobs (id bigint PRIMARY KEY, state text NOT NULL, kind text);
CREATE TABLE rotations (id bigint PRIMARY KEY, name text NOT NULL);
