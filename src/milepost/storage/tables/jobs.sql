-- name: due_job
SELECT id FROM jobs
WHERE topic IN (SELECT value FROM texts(:topics)) AND state <> 'dead' AND due <= :now
ORDER BY due, id LIMIT 1

-- name: claim_job
UPDATE jobs SET state = 'running', claim = :claim, due = :until, attempts = attempts + 1, again = NULL
WHERE id = :id
RETURNING id, space, topic, key, payload, state, due, attempts, problem, claim

-- name: prolong_job
UPDATE jobs SET due = ? WHERE id = ? AND claim = ?

-- name: finish_job
DELETE FROM jobs WHERE id = ? AND claim = ? AND again IS NULL

-- name: repeat_job
UPDATE jobs SET state = 'waiting', due = again, attempts = 0, again = NULL, claim = NULL, problem = ''
WHERE id = ? AND claim = ?

-- name: retry_jobs
UPDATE jobs SET state = 'waiting', due = :now, attempts = 0
WHERE space = :space AND state = 'dead' AND (CAST(:id AS bigint) IS NULL OR id = :id)

-- name: drop_job
DELETE FROM jobs WHERE space = :space AND state = 'dead' AND id = :id

-- name: work_of
SELECT id, payload, problem FROM jobs WHERE space = ?

-- name: set_work
UPDATE jobs SET payload = ?, problem = ? WHERE id = ?

-- name: forget_dead
DELETE FROM jobs WHERE space = ? AND state = 'dead'

-- name: fail_job
UPDATE jobs SET
    state    = CASE WHEN CAST(:retry_at AS bigint) IS NULL AND again IS NULL THEN 'dead' ELSE 'waiting' END,
    attempts = CASE WHEN again IS NULL THEN attempts ELSE 0 END,
    due      = coalesce(:retry_at, again, due),
    problem  = :problem, again = NULL, claim = NULL
WHERE id = :id AND claim = :claim

-- name: jobs
SELECT id, space, topic, key, payload, state, due, attempts, problem, coalesce(claim, '') FROM jobs
WHERE space = :space AND (CAST(:state AS text) IS NULL OR state = :state)
ORDER BY due, id LIMIT :limit

-- name: backlog
SELECT topic, state, count(*), min(due) FROM jobs
WHERE CAST(:space AS text) IS NULL OR space = :space
GROUP BY topic, state ORDER BY topic, state
