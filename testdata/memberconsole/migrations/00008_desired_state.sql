-- +goose Up
CREATE TABLE core.connections (
    connection_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name          text NOT NULL UNIQUE,
    endpoint      text NOT NULL
);

CREATE TABLE core.desired_state_records (
    record_id      uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    connection_id  uuid NOT NULL REFERENCES core.connections (connection_id) ON DELETE CASCADE,
    recipient_kind text NOT NULL,
    recipient_id   text NOT NULL,
    content        text NOT NULL,
    generation     bigint NOT NULL DEFAULT 1,
    dispatched_at  timestamptz,
    UNIQUE (connection_id, recipient_kind, recipient_id)
);

CREATE TABLE core.desired_state_projections (
    record_id           uuid PRIMARY KEY REFERENCES core.desired_state_records (record_id) ON DELETE CASCADE,
    observed_content    text NOT NULL,
    observed_generation bigint NOT NULL
);

CREATE TABLE core.desired_state_outbox (
    notice_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    recipient_kind text NOT NULL,
    recipient_id   text NOT NULL,
    source         text NOT NULL,
    leased_until   timestamptz,
    done_at        timestamptz
);

CREATE INDEX desired_state_outbox_pending ON core.desired_state_outbox (notice_id) WHERE done_at IS NULL;

-- +goose StatementBegin
CREATE FUNCTION core.insert_desired_state_notice(p_kind text, p_id text, p_source text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO core.desired_state_outbox (recipient_kind, recipient_id, source) VALUES (p_kind, p_id, p_source);
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION core.notice_entitlement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM core.insert_desired_state_notice('pool', OLD.pool_id::text, 'entitlement');
        RETURN OLD;
    END IF;
    PERFORM core.insert_desired_state_notice('pool', NEW.pool_id::text, 'entitlement');
    RETURN NEW;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION core.notice_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM core.insert_desired_state_notice('site', NEW.site_id::text, 'site');
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER entitlements_notice AFTER INSERT OR DELETE OR UPDATE OF amount ON core.entitlements
    FOR EACH ROW EXECUTE FUNCTION core.notice_entitlement();

CREATE TRIGGER sites_notice AFTER INSERT OR UPDATE OF status ON fedwiki.sites
    FOR EACH ROW EXECUTE FUNCTION core.notice_site();

-- +goose Down
DROP TRIGGER sites_notice ON fedwiki.sites;
DROP TRIGGER entitlements_notice ON core.entitlements;
DROP FUNCTION core.notice_site();
DROP FUNCTION core.notice_entitlement();
DROP FUNCTION core.insert_desired_state_notice(text, text, text);
DROP TABLE core.desired_state_outbox, core.desired_state_projections, core.desired_state_records, core.connections;
