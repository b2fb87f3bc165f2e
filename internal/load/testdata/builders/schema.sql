CREATE TABLE widgets (id text PRIMARY KEY, name text, state text, deleted_at timestamptz);
CREATE TABLE gadgets (id text PRIMARY KEY, widget_id text REFERENCES widgets (id), name text, state text, kind text, colour text, size text);
