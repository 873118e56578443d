-- name: enqueue
INSERT INTO jobs (space, topic, key, payload, due) VALUES (:space, :topic, :key, :payload, :at)
ON CONFLICT (space, topic, key) DO UPDATE SET
    payload  = excluded.payload,
    again    = CASE state WHEN 'running' THEN min(coalesce(again, excluded.due), excluded.due) END,
    due      = CASE state WHEN 'waiting' THEN min(due, excluded.due) WHEN 'dead' THEN excluded.due
                          ELSE due END,
    attempts = CASE state WHEN 'dead' THEN 0 ELSE attempts END,
    state    = CASE state WHEN 'dead' THEN 'waiting' ELSE state END

-- name: free_job
SELECT id FROM jobs
WHERE topic IN (SELECT value FROM json_each(:topics)) AND state <> 'dead' AND due <= :now
ORDER BY due, id LIMIT 1
