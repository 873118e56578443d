-- name: insert_anchor
INSERT OR REPLACE INTO anchors (memory_id, path, symbol, digest) VALUES (?, ?, ?, ?)

-- name: anchored
SELECT DISTINCT m.id FROM memories AS m JOIN projects AS p ON p.memory_id = m.id
JOIN anchors AS a ON a.memory_id = m.id
WHERE m.space = :space AND p.project = :project AND m.valid_to > :now ORDER BY m.created DESC
