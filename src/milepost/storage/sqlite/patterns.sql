-- name: patterns_of_episode
SELECT body, version FROM patterns
WHERE space = :space AND (
    EXISTS (SELECT 1 FROM json_each(body, '$.evidence') WHERE value = :episode)
    OR EXISTS (SELECT 1 FROM json_each(body, '$.against') WHERE value = :episode))
ORDER BY confidence DESC, id

-- name: set_learned
UPDATE episodes SET learned = 1 WHERE space = ? AND id = ?
