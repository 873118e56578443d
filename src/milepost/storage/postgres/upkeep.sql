-- name: size
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'

-- name: version
SELECT coalesce((SELECT version FROM homes WHERE name = here()), 0)
