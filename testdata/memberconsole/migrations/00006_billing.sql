-- +goose Up
CREATE TABLE core.subscriptions (
    subscription_id text PRIMARY KEY,
    org_id          uuid NOT NULL REFERENCES core.organizations (org_id),
    status          text NOT NULL,
    synced_at       timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE core.subscription_scheduled_changes (
    change_id       uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    subscription_id text NOT NULL REFERENCES core.subscriptions (subscription_id) ON DELETE CASCADE,
    schedule_id     text NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('downgrade', 'cancel')),
    product_id      uuid NOT NULL REFERENCES core.products (product_id),
    status          text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'applied', 'superseded')),
    UNIQUE (schedule_id, product_id)
);

CREATE SCHEMA stripe;

CREATE TABLE stripe.product_mappings (
    product_id        uuid PRIMARY KEY REFERENCES core.products (product_id),
    stripe_product_id text UNIQUE,
    status            text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'synced'))
);

CREATE TABLE stripe.price_mappings (
    price_mapping_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    product_id       uuid NOT NULL REFERENCES stripe.product_mappings (product_id) ON DELETE CASCADE,
    amount_cents     bigint NOT NULL,
    stripe_price_id  text,
    status           text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'synced')),
    UNIQUE (product_id, amount_cents)
);

CREATE TABLE stripe.outbox (
    entry_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    product_id uuid NOT NULL REFERENCES stripe.product_mappings (product_id) ON DELETE CASCADE,
    action     text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stripe.invoices (
    invoice_id      text PRIMARY KEY,
    subscription_id text REFERENCES core.subscriptions (subscription_id),
    status          text NOT NULL,
    total_cents     bigint NOT NULL
);

CREATE TABLE stripe.invoice_lines (
    invoice_id   text NOT NULL REFERENCES stripe.invoices (invoice_id) ON DELETE CASCADE,
    line_no      integer NOT NULL,
    description  text NOT NULL,
    amount_cents bigint NOT NULL,
    PRIMARY KEY (invoice_id, line_no)
);

CREATE TABLE stripe.payments (
    payment_id   text PRIMARY KEY,
    invoice_id   text NOT NULL REFERENCES stripe.invoices (invoice_id) ON DELETE CASCADE,
    amount_cents bigint NOT NULL
);

-- +goose Down
DROP SCHEMA stripe CASCADE;
DROP TABLE core.subscription_scheduled_changes, core.subscriptions;
