-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION core.assert_rendezvous() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_key bigint := hashtextextended('entitlement_materialization', 0);
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM pg_catalog.pg_locks l
        WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid() AND l.granted AND l.objsubid = 1
          AND ((l.classid::bigint << 32) | l.objid::bigint) = v_key
    ) THEN
        RAISE EXCEPTION 'materialization_rendezvous_missing';
    END IF;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION core.confer(p_pool uuid, p_product uuid, p_source_kind text, p_source_id text, p_quantity integer)
RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    v_ladder    uuid;
    v_rank      integer;
    v_incumbent record;
    v_status    text := 'live';
    v_id        uuid;
BEGIN
    PERFORM core.assert_rendezvous();
    PERFORM 1 FROM core.resource_pools WHERE pool_id = p_pool FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'pool % does not exist', p_pool USING ERRCODE = 'foreign_key_violation';
    END IF;

    SELECT t.ladder_id, t.rank INTO v_ladder, v_rank FROM core.tiers t WHERE t.product_id = p_product;
    IF v_ladder IS NOT NULL THEN
        SELECT p.provision_id, p.rank INTO v_incumbent
        FROM core.provisions p
        WHERE p.pool_id = p_pool AND p.ladder_id = v_ladder AND p.status = 'live';
        IF FOUND THEN
            IF v_incumbent.rank > v_rank THEN
                v_status := 'replaced';
            ELSE
                UPDATE core.provisions SET status = 'replaced' WHERE provision_id = v_incumbent.provision_id;
                UPDATE core.grants g SET status = 'replaced'
                FROM core.provisions p
                WHERE p.provision_id = v_incumbent.provision_id AND p.source_kind = 'grant'
                  AND g.grant_id = p.source_id::uuid AND g.status = 'active';
            END IF;
        END IF;
    END IF;

    INSERT INTO core.provisions (pool_id, product_id, source_kind, source_id, quantity, status, ladder_id, rank)
    VALUES (p_pool, p_product, p_source_kind, p_source_id, p_quantity, v_status, v_ladder, v_rank)
    ON CONFLICT (source_kind, source_id, product_id) DO UPDATE
        SET status = EXCLUDED.status, quantity = EXCLUDED.quantity,
            ladder_id = EXCLUDED.ladder_id, rank = EXCLUDED.rank, end_reason = NULL
    RETURNING provision_id INTO v_id;
    RETURN v_id;
END;
$$;
-- +goose StatementEnd

-- Ends what one source provides; a null product ends all of it.
-- +goose StatementBegin
CREATE FUNCTION core.end_conferral(p_source_kind text, p_source_id text, p_product uuid, p_reason text)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_provision record;
    v_count     integer := 0;
BEGIN
    PERFORM core.assert_rendezvous();
    FOR v_provision IN
        SELECT p.provision_id, p.pool_id FROM core.provisions p
        WHERE p.source_kind = p_source_kind AND p.source_id = p_source_id AND p.status <> 'ended'
          AND (p_product IS NULL OR p.product_id = p_product)
        ORDER BY p.pool_id, p.created_at
    LOOP
        PERFORM 1 FROM core.resource_pools WHERE pool_id = v_provision.pool_id FOR UPDATE;
        UPDATE core.provisions SET status = 'ended', end_reason = p_reason
        WHERE provision_id = v_provision.provision_id;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION core.align_conferral_shape(p_provision uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_pool    uuid;
    v_product uuid;
    v_ladder  uuid;
    v_rank    integer;
BEGIN
    PERFORM core.assert_rendezvous();
    SELECT p.pool_id, p.product_id INTO v_pool, v_product
    FROM core.provisions p WHERE p.provision_id = p_provision AND p.status IN ('live', 'replaced');
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM 1 FROM core.resource_pools WHERE pool_id = v_pool FOR UPDATE;
    SELECT t.ladder_id, t.rank INTO v_ladder, v_rank FROM core.tiers t WHERE t.product_id = v_product;
    UPDATE core.provisions SET ladder_id = v_ladder, rank = v_rank WHERE provision_id = p_provision;
    RETURN true;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION core.update_conferral_bounds(p_provision uuid, p_quantity integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_pool uuid;
BEGIN
    PERFORM core.assert_rendezvous();
    SELECT p.pool_id INTO STRICT v_pool FROM core.provisions p WHERE p.provision_id = p_provision;
    PERFORM 1 FROM core.resource_pools WHERE pool_id = v_pool FOR UPDATE;
    UPDATE core.provisions SET quantity = p_quantity WHERE provision_id = p_provision;
END;
$$;
-- +goose StatementEnd

-- A source that is suspended keeps its positions, so no pool changes hands here.
-- +goose StatementBegin
CREATE FUNCTION core.sync_source_status(p_source_kind text, p_source_id text, p_suspended boolean)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_count integer;
BEGIN
    IF p_suspended THEN
        UPDATE core.provisions SET status = 'suspended'
        WHERE source_kind = p_source_kind AND source_id = p_source_id AND status = 'live';
    ELSE
        UPDATE core.provisions SET status = 'live'
        WHERE source_kind = p_source_kind AND source_id = p_source_id AND status = 'suspended';
    END IF;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END;
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION core.sync_source_status(text, text, boolean);
DROP FUNCTION core.update_conferral_bounds(uuid, integer);
DROP FUNCTION core.align_conferral_shape(uuid);
DROP FUNCTION core.end_conferral(text, text, uuid, text);
DROP FUNCTION core.confer(uuid, uuid, text, text, integer);
DROP FUNCTION core.assert_rendezvous();
