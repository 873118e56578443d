-- name: forget_shown
DELETE FROM shown WHERE space = ? AND episode = ?

-- name: count_patterns
SELECT count(*) FROM patterns WHERE space = ?

-- name: is_learned
SELECT learned FROM episodes WHERE space = ? AND id = ?

-- name: delete_pattern
DELETE FROM patterns WHERE space = ? AND id = ?

-- name: shown_to
SELECT pattern FROM shown WHERE space = ? AND episode = ? ORDER BY pattern

-- name: patterns
SELECT body, version FROM patterns
WHERE space = :space AND (CAST(:kind AS text) IS NULL OR kind = :kind)
  AND (CAST(:retired AS boolean) IS NULL OR retired = :retired)
ORDER BY confidence DESC, id LIMIT :limit

-- name: patterns_named
SELECT body, version FROM patterns
WHERE space = :space AND id IN (SELECT value FROM texts(:ids))

-- name: insert_pattern
INSERT INTO patterns (space, id, kind, retired, confidence, version, body)
VALUES (:space, :id, :kind, :retired, :confidence, 1, :body)
ON CONFLICT DO NOTHING

-- name: update_pattern
UPDATE patterns SET kind = :kind, retired = :retired, confidence = :confidence,
                    version = version + 1, body = :body
WHERE space = :space AND id = :id AND version = :version

-- name: show
INSERT INTO shown (space, episode, pattern) VALUES (?, ?, ?)
ON CONFLICT DO NOTHING
