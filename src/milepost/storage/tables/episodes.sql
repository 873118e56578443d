-- name: episode_row
SELECT row, coalesce((SELECT max(number) FROM steps WHERE episode = row), 0)
FROM episodes WHERE space = ? AND id = ?

-- name: insert_step
INSERT INTO steps (episode, number, tool, action, parameters, observation, success, latency_ms,
                   tokens, at, asked)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: checkpoints
SELECT checkpoints FROM episodes WHERE row = ?

-- name: set_checkpoints
UPDATE episodes SET checkpoints = ? WHERE row = ?

-- name: last_step
SELECT coalesce((SELECT max(number) FROM steps WHERE episode = row), 0)
FROM episodes WHERE space = ? AND id = ?

-- name: episode_named
SELECT id, task, task_type, context, tags, outcome, verdict, artifacts, created, completed, reward,
       insights, salience, relations, step_count, checkpoints
FROM episodes WHERE space = ? AND id = ?

-- name: steps
SELECT number, tool, action, parameters, observation, success, latency_ms, tokens, at FROM steps
WHERE episode = (SELECT row FROM episodes WHERE space = ? AND id = ?) ORDER BY number

-- name: reward_terms
SELECT reward, terms FROM episodes WHERE space = ? AND id = ?

-- name: episode_state
SELECT row, outcome FROM episodes WHERE space = ? AND id = ?

-- name: delete_episode
DELETE FROM episodes WHERE space = ? AND id = ?

-- name: idle_episodes
SELECT id FROM episodes WHERE space = ? AND outcome IS NULL AND touched < ?
ORDER BY touched LIMIT ?

-- name: last_touched
SELECT max(touched) FROM episodes WHERE space = ? AND outcome IS NULL

-- name: insert_episode
INSERT INTO episodes (space, id, task, task_type, context, tags, relations, created,
                                touched)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: steps_asked
SELECT number, asked, tool, action, parameters, observation, success FROM steps
WHERE episode = :episode AND number IN (SELECT value FROM numbers(:numbers))
UNION ALL
SELECT number, asked, tool, action, parameters, observation, success FROM steps
WHERE episode = :episode AND asked IN (SELECT value FROM numbers(:numbers))

-- name: episodes_named
SELECT id, task, task_type, context, tags, outcome, verdict, artifacts, created, completed, reward,
       insights, salience, relations, step_count, checkpoints
FROM episodes WHERE space = :space AND id IN (SELECT value FROM texts(:ids))
