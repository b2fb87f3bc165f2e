-- +goose Up
CREATE TABLE core.entitlement_set_changes (
    change_id    uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    batch_id     uuid NOT NULL,
    seq          bigint GENERATED ALWAYS AS IDENTITY,
    set_id       uuid NOT NULL REFERENCES core.entitlement_sets (set_id),
    resource_key text NOT NULL REFERENCES core.resource_keys (resource_key),
    old_amount   bigint,
    new_amount   bigint NOT NULL
);

CREATE TABLE core.entitlement_set_change_obligations (
    change_id  uuid NOT NULL REFERENCES core.entitlement_set_changes (change_id) ON DELETE CASCADE,
    pool_id    uuid NOT NULL REFERENCES core.resource_pools (pool_id) ON DELETE CASCADE,
    settled_at timestamptz,
    attempts   integer NOT NULL DEFAULT 0,
    last_error text,
    PRIMARY KEY (change_id, pool_id)
);

-- +goose StatementBegin
CREATE FUNCTION core.commit_rule_change(p_batch uuid, p_set uuid, p_resource_key text, p_amount bigint)
RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    v_old    bigint;
    v_change uuid;
BEGIN
    PERFORM core.assert_rendezvous();
    PERFORM 1 FROM core.entitlement_sets WHERE set_id = p_set FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'entitlement set % does not exist', p_set;
    END IF;
    SELECT r.amount INTO v_old FROM core.entitlement_set_rules r
    WHERE r.set_id = p_set AND r.resource_key = p_resource_key
    FOR UPDATE;
    IF FOUND THEN
        UPDATE core.entitlement_set_rules SET amount = p_amount
        WHERE set_id = p_set AND resource_key = p_resource_key;
    ELSE
        INSERT INTO core.entitlement_set_rules (set_id, resource_key, amount)
        VALUES (p_set, p_resource_key, p_amount);
    END IF;
    UPDATE core.entitlement_sets SET revision = revision + 1 WHERE set_id = p_set;

    INSERT INTO core.entitlement_set_changes (batch_id, set_id, resource_key, old_amount, new_amount)
    VALUES (p_batch, p_set, p_resource_key, v_old, p_amount)
    RETURNING change_id INTO v_change;
    INSERT INTO core.entitlement_set_change_obligations (change_id, pool_id)
    SELECT DISTINCT v_change, p.pool_id
    FROM core.provisions p JOIN core.product_sets ps ON ps.product_id = p.product_id
    WHERE ps.set_id = p_set AND p.status = 'live';
    RETURN v_change;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION core.settle_obligation(p_change uuid, p_pool uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_settled timestamptz;
BEGIN
    PERFORM core.assert_rendezvous();
    SELECT o.settled_at INTO v_settled FROM core.entitlement_set_change_obligations o
    WHERE o.change_id = p_change AND o.pool_id = p_pool
    FOR UPDATE;
    IF NOT FOUND OR v_settled IS NOT NULL THEN
        RETURN false;
    END IF;
    PERFORM 1 FROM core.resource_pools WHERE pool_id = p_pool FOR UPDATE;
    UPDATE core.entitlement_set_change_obligations SET settled_at = now(), last_error = NULL
    WHERE change_id = p_change AND pool_id = p_pool;
    RETURN true;
END;
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION core.settle_obligation(uuid, uuid);
DROP FUNCTION core.commit_rule_change(uuid, uuid, text, bigint);
DROP TABLE core.entitlement_set_change_obligations, core.entitlement_set_changes;
