-- name: memories_of_spaces
SELECT id FROM memories WHERE space IN (SELECT value FROM texts(:spaces)) ORDER BY id

-- name: entry_spaces
SELECT DISTINCT space FROM memories WHERE space >= ? AND space < ?
