-- name: size
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'

-- How often memories or links of the home were written, and when the next of a space ends to hold by itself.
-- name: version_of
SELECT (SELECT version FROM homes WHERE name = here()),
       (SELECT min(valid_to) FROM memories
        WHERE space = :space AND valid_to > :now AND valid_to < 9223372036854775807)

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

-- name: homes_of_other_rules
SELECT name FROM homes WHERE analysis <> ?

-- name: set_analysis
UPDATE homes SET analysis = ? WHERE name = here()

-- What lies in a bin is found by the space that it came from.
-- name: analysed
SELECT m.id, m.content, m.author, m.created, coalesce(
           (SELECT d.space FROM deeds AS d WHERE m.space = chr(30) || d.id), m.space)
FROM memories AS m WHERE m.id > ? ORDER BY m.id LIMIT ?

-- name: set_terms
UPDATE memories SET terms = :terms, traits = :traits, change = :change, speaker = :speaker,
                    terms_once = :terms_once::int[], keys = :keys::int[], words = :words
WHERE id = :id
