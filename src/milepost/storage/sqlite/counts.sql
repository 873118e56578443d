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
