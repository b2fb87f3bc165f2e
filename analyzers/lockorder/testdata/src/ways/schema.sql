CREATE TABLE flows (id text PRIMARY KEY, state text NOT NULL);
CREATE TABLE events (flow text NOT NULL REFERENCES flows (id) ON DELETE CASCADE, key text NOT NULL, value text, PRIMARY KEY (flow, key));
CREATE TABLE desks (id bigint PRIMARY KEY, free int NOT NULL);
CREATE TABLE calls (id bigserial PRIMARY KEY, state text NOT NULL);
CREATE TABLE slots (id bigint PRIMARY KEY);
CREATE TABLE inputs (id bigint PRIMARY KEY);
CREATE TABLE outputs (id bigint PRIMARY KEY);
CREATE TABLE quotas (tenant bigint, key text, units int NOT NULL, PRIMARY KEY (tenant, key));
CREATE TABLE depots (id int); CREATE TABLE docks (id int); CREATE TABLE ramps (id int); CREATE TABLE gates (id int);
CREATE TABLE seats (id bigint PRIMARY KEY, taken bool NOT NULL);
CREATE TABLE bookings (number text PRIMARY KEY, seat bigint NOT NULL, state text NOT NULL);
CREATE TABLE stands (id bigint PRIMARY KEY, refunds int NOT NULL DEFAULT 0);
CREATE TABLE totals (stand bigint, day date, n int NOT NULL DEFAULT 0, PRIMARY KEY (stand, day));
CREATE TABLE lefts (id bigint PRIMARY KEY); CREATE TABLE rights (id bigint PRIMARY KEY);
CREATE TABLE toll_booths (id bigint PRIMARY KEY);
CREATE TABLE toll_lanes (id bigint PRIMARY KEY);
CREATE TABLE toll_cash (id bigint PRIMARY KEY);
CREATE TABLE boards (id bigint PRIMARY KEY, deleted_at timestamptz);
CREATE TABLE cards (id bigint PRIMARY KEY, board bigint NOT NULL REFERENCES boards, title text);
CREATE TABLE shelves (id bigint PRIMARY KEY, is_deleted bool NOT NULL DEFAULT false);
CREATE TABLE books (id bigint PRIMARY KEY, shelf bigint REFERENCES shelves, title text);
CREATE TABLE rooms (id bigint PRIMARY KEY, note text);
CREATE TABLE doors (id bigint PRIMARY KEY, room bigint NOT NULL REFERENCES rooms, note text);
CREATE TABLE sites (id bigint PRIMARY KEY, name text);
CREATE TABLE alarms (id bigserial PRIMARY KEY, site bigint NOT NULL REFERENCES sites, cause bigint REFERENCES alarms, state text NOT NULL DEFAULT 'new');
CREATE TABLE alarm_states (alarm bigint PRIMARY KEY REFERENCES alarms, step int NOT NULL);
CREATE FUNCTION note_alarm() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO alarm_states (alarm, step) VALUES (NEW.id, 0);
	RETURN NEW;
END $$;
CREATE TRIGGER note_alarm AFTER INSERT ON alarms FOR EACH ROW EXECUTE FUNCTION note_alarm();
CREATE TABLE posts (id bigint PRIMARY KEY, name text);
CREATE TABLE sirens (id bigserial PRIMARY KEY, post bigint NOT NULL REFERENCES posts, cause bigint NOT NULL, state text);
CREATE TABLE siren_states (siren bigint PRIMARY KEY REFERENCES sirens, step int NOT NULL);
CREATE FUNCTION note_siren() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO siren_states (siren, step) VALUES (NEW.cause, 0) ON CONFLICT DO NOTHING;
	RETURN NEW;
END $$;
CREATE TRIGGER note_siren AFTER INSERT ON sirens FOR EACH ROW EXECUTE FUNCTION note_siren();
CREATE TABLE modules (name text PRIMARY KEY, version int NOT NULL);
CREATE TABLE plants (id bigint PRIMARY KEY, n int); CREATE TABLE pots (id bigint PRIMARY KEY, n int);
CREATE TABLE bulbs (id bigint PRIMARY KEY, n int); CREATE TABLE vases (id bigint PRIMARY KEY, n int);
