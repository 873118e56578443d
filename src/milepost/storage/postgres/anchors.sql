-- name: insert_anchor
INSERT INTO anchors (memory_id, path, symbol, digest) VALUES (?, ?, ?, ?)
ON CONFLICT (home, memory_id, path, symbol) DO UPDATE SET digest = excluded.digest

-- name: anchored
SELECT m.id FROM memories AS m
WHERE m.space = :space AND m.projects @> ARRAY[:project::text] AND m.valid_to > :now
  AND EXISTS (SELECT 1 FROM anchors WHERE memory_id = m.id)
ORDER BY m.created DESC
