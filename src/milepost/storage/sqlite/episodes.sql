-- name: count_steps
UPDATE episodes SET step_count = step_count + ?, touched = max(touched, ?) WHERE row = ?

-- name: episodes
SELECT id, task, task_type, context, tags, outcome, verdict, artifacts, created, completed, reward,
       insights, salience, relations, step_count, checkpoints
FROM episodes WHERE space = :space
  AND (:outcome IS NULL OR coalesce(outcome, 'open') = :outcome)
  AND (:task_type IS NULL OR task_type = :task_type)
  AND (:domain IS NULL OR domain = :domain)
  AND (:after_us IS NULL OR created >= :after_us)
  AND (:before_us IS NULL OR created < :before_us)
  AND (:project IS NULL OR context ->> '$.project' = :project)
  AND (:session IS NULL OR context ->> '$.session' = :session)
  AND (:learned IS NULL OR (outcome IS NOT NULL AND learned = :learned))
  AND NOT EXISTS (SELECT 1 FROM json_each(:tags) AS wanted
                  WHERE wanted.value NOT IN (SELECT value FROM json_each(episodes.tags)))
ORDER BY created DESC, row DESC LIMIT :limit

-- name: count_episodes
SELECT count(*)
FROM episodes WHERE space = :space
  AND (:outcome IS NULL OR coalesce(outcome, 'open') = :outcome)
  AND (:task_type IS NULL OR task_type = :task_type)
  AND (:domain IS NULL OR domain = :domain)
  AND (:after_us IS NULL OR created >= :after_us)
  AND (:before_us IS NULL OR created < :before_us)
  AND (:project IS NULL OR context ->> '$.project' = :project)
  AND (:session IS NULL OR context ->> '$.session' = :session)
  AND (:learned IS NULL OR (outcome IS NOT NULL AND learned = :learned))
  AND NOT EXISTS (SELECT 1 FROM json_each(:tags) AS wanted
                  WHERE wanted.value NOT IN (SELECT value FROM json_each(episodes.tags)))

-- name: change_episode
UPDATE episodes SET
    task        = coalesce(:task, task),
    task_type   = coalesce(:task_type, task_type),
    context     = coalesce(:context, context),
    tags        = coalesce(:tags, tags),
    outcome     = coalesce(:outcome, outcome),
    verdict     = coalesce(:verdict, verdict),
    artifacts   = coalesce(:artifacts, artifacts),
    completed   = coalesce(:completed, completed),
    reward      = coalesce(:reward, reward),
    terms       = coalesce(:terms, terms),
    insights    = coalesce(:insights, insights),
    salience    = coalesce(:salience, salience),
    learned     = CASE WHEN :outcome IS NULL THEN learned ELSE 0 END,
    touched     = max(touched, :now)
WHERE row = :row

-- name: add_relation
UPDATE episodes SET relations = json_insert(relations, '$[#]', json(:pair))
WHERE row = :row AND NOT EXISTS (SELECT 1 FROM json_each(relations) WHERE value = json(:pair))

-- name: peers
SELECT id, task, outcome, step_count, (completed - created) / 1e6 FROM episodes
WHERE space = ? AND task_type = ? AND domain IS ? AND outcome IS NOT NULL
ORDER BY completed DESC LIMIT ?

-- name: ended_episodes
SELECT id, task_type, outcome, completed, context FROM episodes
WHERE space = :space AND outcome IS NOT NULL
  AND (:outcome IS NULL OR outcome = :outcome)
  AND (:task_type IS NULL OR task_type = :task_type)
  AND (:domain IS NULL OR domain = :domain)
  AND (:after_us IS NULL OR created >= :after_us)
  AND (:before_us IS NULL OR created < :before_us)
ORDER BY created DESC, row DESC LIMIT :limit

-- name: tools_used
SELECT tool, count(DISTINCT steps.episode),
       count(DISTINCT iif(newest.outcome = 'failure', NULL, steps.episode)),
       count(*), sum(NOT success)
FROM (SELECT row, outcome FROM episodes
      WHERE space = :space AND outcome IN ('success', 'partial', 'failure')
        AND (:outcome IS NULL OR outcome = :outcome)
        AND (:task_type IS NULL OR task_type = :task_type)
        AND (:domain IS NULL OR domain = :domain)
        AND (:after_us IS NULL OR created >= :after_us)
        AND (:before_us IS NULL OR created < :before_us)
      ORDER BY created DESC, row DESC LIMIT :limit) AS newest
JOIN steps ON steps.episode = newest.row
GROUP BY tool ORDER BY 2 DESC, tool
