-- name: clear_anchors
DELETE FROM anchors WHERE memory_id = ?

-- name: anchors_of
SELECT memory_id, path, symbol, digest FROM anchors
WHERE memory_id IN (SELECT value FROM numbers(?)) ORDER BY memory_id, path, symbol
