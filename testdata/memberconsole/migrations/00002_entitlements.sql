-- +goose Up
-- A key and its provider are referenced together, so changing the provider is
-- a change of a referenced key.
CREATE TABLE core.resource_keys (
    resource_key text PRIMARY KEY,
    provider     text,
    UNIQUE (resource_key, provider)
);

CREATE TABLE core.provider_bindings (
    binding_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    resource_key text NOT NULL,
    provider     text NOT NULL,
    endpoint     text NOT NULL,
    FOREIGN KEY (resource_key, provider) REFERENCES core.resource_keys (resource_key, provider) ON UPDATE CASCADE
);

CREATE TABLE core.entitlement_sets (
    set_id   uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name     text NOT NULL UNIQUE,
    revision integer NOT NULL DEFAULT 1
);

CREATE TABLE core.entitlement_set_rules (
    rule_id      uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    set_id       uuid NOT NULL REFERENCES core.entitlement_sets (set_id) ON DELETE CASCADE,
    resource_key text NOT NULL REFERENCES core.resource_keys (resource_key),
    amount       bigint NOT NULL CHECK (amount >= 0),
    UNIQUE (set_id, resource_key)
);

CREATE TABLE core.product_sets (
    product_id uuid NOT NULL REFERENCES core.products (product_id),
    set_id     uuid NOT NULL REFERENCES core.entitlement_sets (set_id),
    PRIMARY KEY (product_id, set_id)
);

CREATE TABLE core.ladders (
    ladder_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name      text NOT NULL UNIQUE
);

CREATE TABLE core.tiers (
    tier_id    uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    ladder_id  uuid NOT NULL REFERENCES core.ladders (ladder_id),
    product_id uuid NOT NULL UNIQUE REFERENCES core.products (product_id),
    rank       integer NOT NULL,
    UNIQUE (ladder_id, rank) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE core.entitlements (
    entitlement_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    pool_id        uuid NOT NULL REFERENCES core.resource_pools (pool_id) ON DELETE CASCADE,
    resource_key   text NOT NULL REFERENCES core.resource_keys (resource_key),
    amount         bigint NOT NULL,
    updated_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (pool_id, resource_key)
);

CREATE TABLE core.numeric_entitlement_usage (
    pool_id      uuid NOT NULL REFERENCES core.resource_pools (pool_id) ON DELETE CASCADE,
    resource_key text NOT NULL REFERENCES core.resource_keys (resource_key),
    used         bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
    PRIMARY KEY (pool_id, resource_key)
);

-- +goose Down
DROP TABLE core.numeric_entitlement_usage, core.entitlements, core.tiers, core.ladders, core.product_sets,
    core.entitlement_set_rules, core.entitlement_sets, core.provider_bindings, core.resource_keys;
