-- The day is that of whoever asks, wherever the server is.
-- name: days_of_events
SELECT (:names::text[])[width_bucket(at, :starts::bigint[])] AS day, type, count(*),
       count(*) FILTER (WHERE coalesce(outcome, '') IN (SELECT value FROM texts(:failed)))
FROM events
WHERE space = :space AND at >= :after_us AND (:project::text IS NULL OR project = :project::text)
GROUP BY day, type ORDER BY day DESC, count(*) DESC, type

-- name: sessions_by_day
SELECT (:names::text[])[width_bucket(at, :starts::bigint[])] AS day,
       count(DISTINCT session)
FROM events
WHERE space = :space AND at >= :after_us AND (:project::text IS NULL OR project = :project::text)
GROUP BY day

-- name: delete_events
DELETE FROM events WHERE row IN (SELECT value FROM numbers(?))
