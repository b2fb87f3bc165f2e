CREATE TABLE runs (id bigint PRIMARY KEY);
CREATE TABLE nodes (id bigint PRIMARY KEY, run_id bigint REFERENCES runs(id), name text);
