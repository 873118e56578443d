-- name: tally
SELECT kind, to_char(to_timestamp(created / 1000000.0) AT TIME ZONE 'UTC', 'YYYY-MM'),
       valid_to <= :now, count(*), min(created), max(created)
FROM memories WHERE space = :space GROUP BY 1, 2, 3

-- name: tally_projects
SELECT project, count(*) FROM memories LEFT JOIN unnest(projects) AS project ON true
WHERE space = :space AND valid_to > :now GROUP BY 1 ORDER BY 2 DESC, 1

-- name: tally_tags
SELECT tag, project, count(*)
FROM memories CROSS JOIN unnest(tags) AS tag LEFT JOIN unnest(projects) AS project ON true
WHERE space = :space AND valid_to > :now AND (:project::text IS NULL OR project = :project::text)
GROUP BY 1, 2 ORDER BY 3 DESC, 2 NULLS FIRST

-- Memories of several projects are counted in each of them, and once for the tag.
-- name: tally_tags_again
SELECT tag, sum(cardinality(projects) - 1)::bigint FROM memories CROSS JOIN unnest(tags) AS tag
WHERE space = :space AND valid_to > :now AND cardinality(projects) > 1 GROUP BY 1

-- How many rows of memories each home has, in bins too, and how many were removed by operations.
-- name: accounts
SELECT home, sum(n)::bigint, sum(removed)::bigint FROM (
    SELECT home, count(*) AS n, 0 AS removed FROM memories GROUP BY home
    UNION ALL SELECT home, 0, value::bigint FROM kept WHERE topic = 'removed') AS each_kind
GROUP BY home
