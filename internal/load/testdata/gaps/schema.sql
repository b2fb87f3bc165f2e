CREATE TABLE jobs (id bigint PRIMARY KEY, state text NOT NULL);
