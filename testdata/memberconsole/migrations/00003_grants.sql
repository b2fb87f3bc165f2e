-- +goose Up
CREATE TABLE core.grants (
    grant_id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    org_id           uuid REFERENCES core.organizations (org_id) ON DELETE CASCADE,
    product_id       uuid NOT NULL REFERENCES core.products (product_id),
    extends_grant_id uuid REFERENCES core.grants (grant_id),
    status           text NOT NULL DEFAULT 'active'
        CHECK (status IN ('waiting', 'active', 'replaced', 'expired', 'revoked')),
    reason           text NOT NULL,
    resumable        boolean NOT NULL DEFAULT true,
    starts_at        timestamptz NOT NULL DEFAULT now(),
    ends_at          timestamptz,
    updated_at       timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX grants_one_extension ON core.grants (extends_grant_id);

CREATE TABLE core.provisions (
    provision_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    pool_id      uuid NOT NULL REFERENCES core.resource_pools (pool_id) ON DELETE CASCADE,
    product_id   uuid NOT NULL REFERENCES core.products (product_id),
    source_kind  text NOT NULL CHECK (source_kind IN ('grant', 'subscription')),
    source_id    text NOT NULL,
    quantity     integer NOT NULL DEFAULT 1,
    status       text NOT NULL CHECK (status IN ('live', 'replaced', 'suspended', 'ended')),
    ladder_id    uuid REFERENCES core.ladders (ladder_id),
    rank         integer,
    end_reason   text,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (source_kind, source_id, product_id)
);

CREATE INDEX provisions_by_pool ON core.provisions (pool_id, status);

-- +goose StatementBegin
CREATE FUNCTION core.touch_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER grants_touch BEFORE UPDATE ON core.grants
    FOR EACH ROW EXECUTE FUNCTION core.touch_updated_at();

CREATE TRIGGER entitlements_touch BEFORE UPDATE ON core.entitlements
    FOR EACH ROW EXECUTE FUNCTION core.touch_updated_at();

-- +goose Down
DROP TABLE core.provisions, core.grants;
DROP FUNCTION core.touch_updated_at() CASCADE;
