-- name: tally_sessions
SELECT session, count(*), count(*) OVER () FROM memories
WHERE space = :space AND session IS NOT NULL GROUP BY session ORDER BY 2 DESC, 1 LIMIT :limit
