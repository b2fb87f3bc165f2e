CREATE TABLE flows (id text PRIMARY KEY, state text NOT NULL);
CREATE TABLE events (flow text NOT NULL REFERENCES flows (id) ON DELETE CASCADE, key text NOT NULL, value text, PRIMARY KEY (flow, key));
