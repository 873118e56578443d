-- name: tally
SELECT kind, strftime('%Y-%m', created / 1000000, 'unixepoch'), valid_to <= :now, count(*),
       min(created), max(created)
FROM memories WHERE space = :space GROUP BY 1, 2, 3

-- name: tally_projects
SELECT project, count(*) FROM memories AS m LEFT JOIN projects ON memory_id = m.id
WHERE space = :space AND valid_to > :now GROUP BY 1 ORDER BY 2 DESC, 1

-- name: tally_tags
SELECT tag, project, count(*)
FROM memories AS m JOIN tags AS t ON t.memory_id = m.id LEFT JOIN projects AS p ON p.memory_id = m.id
WHERE space = :space AND valid_to > :now AND (:project IS NULL OR project = :project)
GROUP BY 1, 2 ORDER BY 3 DESC, 2

-- Memories of several projects are counted in each of them, and once for the tag.
-- name: tally_tags_again
SELECT tag, sum(n - 1)
FROM (SELECT memory_id, count(*) AS n FROM projects GROUP BY memory_id HAVING n > 1) AS several
JOIN memories AS m ON m.id = several.memory_id JOIN tags AS t ON t.memory_id = m.id
WHERE space = :space AND valid_to > :now GROUP BY 1

-- How many rows of memories each home has, in bins too, and how many were removed by operations.
-- name: accounts
WITH stored (home, n) AS (
    SELECT CASE unicode(space)
               WHEN 30 THEN (SELECT d.space FROM deeds AS d WHERE d.id = CAST(substr(s.space, 2) AS INTEGER))
               WHEN 31 THEN substr(space, instr(space, ' ') + 1)
               ELSE space END, n
    FROM (SELECT space, count(*) AS n FROM memories GROUP BY space) AS s)
SELECT home, sum(n), sum(removed) FROM (
    SELECT home, n, 0 AS removed FROM stored
    UNION ALL SELECT space, 0, CAST(value AS INTEGER) FROM kept WHERE topic = 'removed')
WHERE home IS NOT NULL GROUP BY home
