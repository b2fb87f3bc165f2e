-- Compares the vectors of an exported key file, $1, with this server: how many
-- there are, and the texts that it hashes otherwise (null when there are none).
select count(*), string_agg(v ->> 'text', ', ') filter (
         where hashtextextended((v ->> 'text') collate "C", (v ->> 'seed')::int8) <> (v ->> 'hash')::int8)
from jsonb_array_elements($1::text::jsonb -> 'hash') v;
