-- name: forget_shown
DELETE FROM shown WHERE space = ? AND episode = ?

-- name: patterns
SELECT body, version FROM patterns
WHERE space = :space AND (:kind IS NULL OR kind = :kind)
  AND (:retired IS NULL OR retired = :retired)
ORDER BY confidence DESC, id LIMIT :limit

-- name: count_patterns
SELECT count(*) FROM patterns WHERE space = ?

-- name: patterns_named
SELECT body, version FROM patterns
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: patterns_of_episode
SELECT body, version FROM patterns
WHERE space = :space AND (
    EXISTS (SELECT 1 FROM json_each(body, '$.evidence') WHERE value = :episode)
    OR EXISTS (SELECT 1 FROM json_each(body, '$.against') WHERE value = :episode))
ORDER BY confidence DESC, id

-- name: is_learned
SELECT learned FROM episodes WHERE space = ? AND id = ?

-- name: set_learned
UPDATE episodes SET learned = 1 WHERE space = ? AND id = ?

-- name: insert_pattern
INSERT OR IGNORE INTO patterns (space, id, kind, retired, confidence, version, body)
VALUES (:space, :id, :kind, :retired, :confidence, 1, :body)

-- name: update_pattern
UPDATE patterns SET kind = :kind, retired = :retired, confidence = :confidence,
                    version = version + 1, body = :body
WHERE space = :space AND id = :id AND version = :version

-- name: delete_pattern
DELETE FROM patterns WHERE space = ? AND id = ?

-- name: show
INSERT OR IGNORE INTO shown (space, episode, pattern) VALUES (?, ?, ?)

-- name: shown_to
SELECT pattern FROM shown WHERE space = ? AND episode = ? ORDER BY pattern
