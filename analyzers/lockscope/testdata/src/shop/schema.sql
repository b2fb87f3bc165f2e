CREATE TABLE accounts (id bigint PRIMARY KEY, owner bigint NOT NULL, cents bigint NOT NULL DEFAULT 0);
CREATE TABLE entries (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts (id), cents bigint NOT NULL);
CREATE TABLE jobs (id bigint PRIMARY KEY, queue text NOT NULL, state text NOT NULL);
CREATE FUNCTION lock_org(o text) RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(hashtextextended('org:' || o, 0)) $$;
CREATE FUNCTION bump_org(o text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('org:' || o, 0));
  UPDATE org_quotas SET used = used + 1 WHERE org = o;
END $$;
CREATE TABLE org_quotas (org text PRIMARY KEY, used int NOT NULL);
CREATE TABLE boxes (id bigint PRIMARY KEY, n int);
