-- name: patterns_of_episode
SELECT body, version FROM patterns
WHERE space = :space AND (
    jsonb_exists(body::jsonb -> 'evidence', :episode) OR jsonb_exists(body::jsonb -> 'against', :episode))
ORDER BY confidence DESC, id

-- name: set_learned
UPDATE episodes SET learned = true WHERE space = ? AND id = ?
