-- name: enqueue
INSERT INTO jobs (space, topic, key, payload, due) VALUES (:space, :topic, :key, :payload, :at)
ON CONFLICT (space, topic, key) DO UPDATE SET
    payload  = excluded.payload,
    again    = CASE state WHEN 'running' THEN min(coalesce(again, excluded.due), excluded.due) END,
    due      = CASE state WHEN 'waiting' THEN min(due, excluded.due) WHEN 'dead' THEN excluded.due
                          ELSE due END,
    attempts = CASE state WHEN 'dead' THEN 0 ELSE attempts END,
    state    = CASE state WHEN 'dead' THEN 'waiting' ELSE state END

-- name: due_job
SELECT id FROM jobs
WHERE topic IN (SELECT value FROM json_each(:topics)) AND state <> 'dead' AND due <= :now
ORDER BY due, id LIMIT 1

-- name: claim_job
UPDATE jobs SET state = 'running', claim = :claim, due = :until, attempts = attempts + 1, again = NULL
WHERE id = :id
RETURNING id, space, topic, key, payload, state, due, attempts, problem, claim

-- name: finish_job
DELETE FROM jobs WHERE id = ? AND claim = ? AND again IS NULL

-- name: repeat_job
UPDATE jobs SET state = 'waiting', due = again, attempts = 0, again = NULL, claim = NULL, problem = ''
WHERE id = ? AND claim = ?

-- name: fail_job
UPDATE jobs SET
    state    = CASE WHEN :retry_at IS NULL AND again IS NULL THEN 'dead' ELSE 'waiting' END,
    attempts = CASE WHEN again IS NULL THEN attempts ELSE 0 END,
    due      = coalesce(:retry_at, again, due),
    problem  = :problem, again = NULL, claim = NULL
WHERE id = :id AND claim = :claim

-- name: jobs
SELECT id, space, topic, key, payload, state, due, attempts, problem, coalesce(claim, '') FROM jobs
WHERE space = :space AND (:state IS NULL OR state = :state)
ORDER BY due, id LIMIT :limit

-- name: retry_jobs
UPDATE jobs SET state = 'waiting', due = ?, attempts = 0 WHERE space = ? AND state = 'dead'

-- name: work_of
SELECT id, payload, problem FROM jobs WHERE space = ?

-- name: set_work
UPDATE jobs SET payload = ?, problem = ? WHERE id = ?

-- name: forget_dead
DELETE FROM jobs WHERE space = ? AND state = 'dead'
