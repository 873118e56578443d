-- name: days_of_events
SELECT date(at / 1000000, 'unixepoch', 'localtime') AS day, type, count(*),
       sum(coalesce(outcome, '') IN (SELECT value FROM json_each(:failed)))
FROM events
WHERE space = :space AND at >= :after_us AND (:project IS NULL OR project = :project)
GROUP BY day, type ORDER BY day DESC, count(*) DESC, type

-- name: sessions_by_day
SELECT date(at / 1000000, 'unixepoch', 'localtime') AS day, count(DISTINCT session)
FROM events
WHERE space = :space AND at >= :after_us AND (:project IS NULL OR project = :project)
GROUP BY day

-- name: delete_events
DELETE FROM events WHERE row IN (SELECT value FROM json_each(?))
