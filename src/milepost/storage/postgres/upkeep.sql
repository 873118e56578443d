-- name: size
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'

-- name: version
SELECT coalesce((SELECT version FROM homes WHERE name = here()), 0)

-- The oldest transaction that may still be under way: whatever is below it is settled.
-- name: horizon
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint

-- name: changed_since
WITH settled AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon)
SELECT id, 'written' AS what, change FROM memories, settled
WHERE change >= :place AND change < horizon
UNION ALL
SELECT memory_id, 'removed', change FROM removals, settled
WHERE change >= :place AND change < horizon
UNION ALL
SELECT horizon, 'horizon', NULL FROM settled
ORDER BY change NULLS LAST, 1
