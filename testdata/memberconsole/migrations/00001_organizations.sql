-- +goose Up
CREATE SCHEMA core;

CREATE TABLE core.products (
    product_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name       text NOT NULL UNIQUE
);

CREATE TABLE core.org_types (
    org_type           text PRIMARY KEY,
    default_product_id uuid REFERENCES core.products (product_id)
);

CREATE TABLE core.organizations (
    org_id     uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name       text NOT NULL,
    org_type   text NOT NULL REFERENCES core.org_types (org_type),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE core.workspaces (
    workspace_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    org_id       uuid NOT NULL REFERENCES core.organizations (org_id) ON DELETE CASCADE,
    slug         text NOT NULL UNIQUE
);

CREATE TABLE core.resource_pools (
    pool_id    uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    org_id     uuid NOT NULL REFERENCES core.organizations (org_id) ON DELETE CASCADE,
    is_default boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX resource_pools_one_default ON core.resource_pools (org_id) WHERE is_default;

-- +goose Down
DROP SCHEMA core CASCADE;
