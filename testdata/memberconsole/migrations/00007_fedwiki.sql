-- +goose Up
CREATE SCHEMA integration;

CREATE TABLE integration.lifecycle_requests (
    request_id  uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    instance_id uuid NOT NULL,
    generation  bigint NOT NULL,
    operation   text NOT NULL,
    content     text NOT NULL,
    person_id   uuid NOT NULL,
    status      text NOT NULL DEFAULT 'accepted' CHECK (status IN ('accepted', 'started', 'done', 'failed')),
    outcome     text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (instance_id, generation)
);

CREATE SCHEMA fedwiki;

CREATE TABLE fedwiki.sites (
    site_id      uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES core.workspaces (workspace_id) ON DELETE CASCADE,
    domain       text NOT NULL UNIQUE,
    status       text NOT NULL CHECK (status IN ('active', 'parked', 'deleted')),
    rotated_at   timestamptz
);

CREATE TABLE fedwiki.swap_policies (
    workspace_id uuid PRIMARY KEY REFERENCES core.workspaces (workspace_id) ON DELETE CASCADE,
    last_swap_at timestamptz NOT NULL
);

CREATE SCHEMA domains;

CREATE TABLE domains.names (
    name       text PRIMARY KEY,
    owner_kind text NOT NULL,
    owner_id   uuid NOT NULL,
    state      text NOT NULL CHECK (state IN ('reserved', 'placed')),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX names_by_owner ON domains.names (owner_kind, owner_id);

-- +goose Down
DROP SCHEMA domains CASCADE;
DROP SCHEMA fedwiki CASCADE;
DROP SCHEMA integration CASCADE;
