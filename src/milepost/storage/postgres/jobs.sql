-- name: enqueue
INSERT INTO jobs AS j (space, topic, key, payload, due) VALUES (:space, :topic, :key, :payload, :at)
ON CONFLICT (home, space, topic, key) DO UPDATE SET
    payload  = excluded.payload,
    again    = CASE j.state WHEN 'running' THEN least(coalesce(j.again, excluded.due), excluded.due) END,
    due      = CASE j.state WHEN 'waiting' THEN least(j.due, excluded.due)
                            WHEN 'dead' THEN excluded.due ELSE j.due END,
    attempts = CASE j.state WHEN 'dead' THEN 0 ELSE j.attempts END,
    state    = CASE j.state WHEN 'dead' THEN 'waiting' ELSE j.state END

-- Others take another at the same time.
-- name: free_job
SELECT id FROM jobs
WHERE topic IN (SELECT value FROM texts(:topics)) AND state <> 'dead' AND due <= :now
ORDER BY due, id LIMIT 1 FOR UPDATE SKIP LOCKED
