CREATE TABLE flows (id text PRIMARY KEY, state text NOT NULL);
CREATE TABLE events (flow text NOT NULL REFERENCES flows (id) ON DELETE CASCADE, key text NOT NULL, value text, PRIMARY KEY (flow, key));
CREATE TABLE desks (id bigint PRIMARY KEY, free int NOT NULL);
CREATE TABLE calls (id bigserial PRIMARY KEY, state text NOT NULL);
CREATE TABLE slots (id bigint PRIMARY KEY);
CREATE TABLE inputs (id bigint PRIMARY KEY);
CREATE TABLE outputs (id bigint PRIMARY KEY);
CREATE TABLE quotas (tenant bigint, key text, units int NOT NULL, PRIMARY KEY (tenant, key));
CREATE TABLE depots (id int); CREATE TABLE docks (id int); CREATE TABLE ramps (id int); CREATE TABLE gates (id int);
