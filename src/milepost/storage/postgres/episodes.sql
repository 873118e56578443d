-- name: count_steps
UPDATE episodes SET step_count = step_count + ?, touched = greatest(touched, ?) WHERE row = ?

-- name: episodes
SELECT id, task, task_type, context, tags, outcome, verdict, artifacts, created, completed, reward,
       insights, salience, relations, step_count, checkpoints
FROM episodes WHERE space = :space
  AND (:outcome::text IS NULL OR coalesce(outcome, 'open') = :outcome::text)
  AND (:task_type::text IS NULL OR task_type = :task_type::text)
  AND (:domain::text IS NULL OR domain = :domain::text)
  AND (:after_us::bigint IS NULL OR created >= :after_us::bigint)
  AND (:before_us::bigint IS NULL OR created < :before_us::bigint)
  AND (:project::text IS NULL OR context::jsonb ->> 'project' = :project::text)
  AND (:session::text IS NULL OR context::jsonb ->> 'session' = :session::text)
  AND (:learned::boolean IS NULL OR (outcome IS NOT NULL AND learned = :learned::boolean))
  AND tags::jsonb @> :tags::jsonb
ORDER BY created DESC, row DESC LIMIT :limit

-- name: count_episodes
SELECT count(*)
FROM episodes WHERE space = :space
  AND (:outcome::text IS NULL OR coalesce(outcome, 'open') = :outcome::text)
  AND (:task_type::text IS NULL OR task_type = :task_type::text)
  AND (:domain::text IS NULL OR domain = :domain::text)
  AND (:after_us::bigint IS NULL OR created >= :after_us::bigint)
  AND (:before_us::bigint IS NULL OR created < :before_us::bigint)
  AND (:project::text IS NULL OR context::jsonb ->> 'project' = :project::text)
  AND (:session::text IS NULL OR context::jsonb ->> 'session' = :session::text)
  AND (:learned::boolean IS NULL OR (outcome IS NOT NULL AND learned = :learned::boolean))
  AND tags::jsonb @> :tags::jsonb

-- name: change_episode
UPDATE episodes SET
    task        = coalesce(:task, task),
    task_type   = coalesce(:task_type, task_type),
    context     = coalesce(:context, context),
    tags        = coalesce(:tags, tags),
    outcome     = coalesce(:outcome::text, outcome),
    verdict     = coalesce(:verdict, verdict),
    artifacts   = coalesce(:artifacts, artifacts),
    completed   = coalesce(:completed, completed),
    reward      = coalesce(:reward, reward),
    terms       = coalesce(:terms, terms),
    insights    = coalesce(:insights, insights),
    salience    = coalesce(:salience, salience),
    learned     = CASE WHEN :outcome::text IS NULL THEN learned ELSE false END,
    touched     = greatest(touched, :now)
WHERE row = :row

-- name: add_relation
UPDATE episodes SET relations = (relations::jsonb || jsonb_build_array(:pair::jsonb))::text
WHERE row = :row AND NOT relations::jsonb @> jsonb_build_array(:pair::jsonb)

-- name: peers
SELECT id, task, outcome, step_count, ((completed - created) / 1e6)::float8 FROM episodes
WHERE space = ? AND task_type = ? AND domain IS NOT DISTINCT FROM ? AND outcome IS NOT NULL
ORDER BY completed DESC LIMIT ?

-- name: ended_episodes
SELECT id, task_type, outcome, completed, context FROM episodes
WHERE space = :space AND outcome IS NOT NULL
  AND (:outcome::text IS NULL OR outcome = :outcome::text)
  AND (:task_type::text IS NULL OR task_type = :task_type::text)
  AND (:domain::text IS NULL OR domain = :domain::text)
  AND (:after_us::bigint IS NULL OR created >= :after_us::bigint)
  AND (:before_us::bigint IS NULL OR created < :before_us::bigint)
ORDER BY created DESC, row DESC LIMIT :limit

-- name: tools_used
SELECT tool, count(DISTINCT steps.episode),
       count(DISTINCT steps.episode) FILTER (WHERE newest.outcome <> 'failure'),
       count(*), count(*) FILTER (WHERE NOT success)
FROM (SELECT row, outcome FROM episodes
      WHERE space = :space AND outcome IN ('success', 'partial', 'failure')
        AND (:outcome::text IS NULL OR outcome = :outcome::text)
        AND (:task_type::text IS NULL OR task_type = :task_type::text)
        AND (:domain::text IS NULL OR domain = :domain::text)
        AND (:after_us::bigint IS NULL OR created >= :after_us::bigint)
        AND (:before_us::bigint IS NULL OR created < :before_us::bigint)
      ORDER BY created DESC, row DESC LIMIT :limit) AS newest
JOIN steps ON steps.episode = newest.row
GROUP BY tool ORDER BY 2 DESC, tool
