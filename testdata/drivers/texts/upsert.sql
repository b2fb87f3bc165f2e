INSERT INTO mz_links (src, dst, kind, active)
SELECT u.src, u.dst, u.kind, true
FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS u(src, dst, kind)
ON CONFLICT (src, dst) WHERE active DO UPDATE SET kind = excluded.kind
