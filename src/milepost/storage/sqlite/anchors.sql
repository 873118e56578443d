-- name: insert_anchor
INSERT OR REPLACE INTO anchors (memory_id, path, symbol, digest) VALUES (?, ?, ?, ?)

-- name: clear_anchors
DELETE FROM anchors WHERE memory_id = ?

-- name: anchors_of
SELECT memory_id, path, symbol, digest FROM anchors
WHERE memory_id IN (SELECT value FROM json_each(?)) ORDER BY memory_id, path, symbol

-- name: anchored
SELECT DISTINCT m.id FROM memories AS m JOIN projects AS p ON p.memory_id = m.id
JOIN anchors AS a ON a.memory_id = m.id
WHERE m.space = :space AND p.project = :project AND m.valid_to > :now ORDER BY m.created DESC
