-- name: links_of
-- By the links: a space is no way to begin with, however few memories a planner takes it to have.
SELECT m.hash, o.hash, l.kind, l.weight, l.at, l.run
FROM (SELECT * FROM links WHERE memory_id IN (SELECT value FROM numbers(:ids))
      UNION SELECT * FROM links WHERE other_id IN (SELECT value FROM numbers(:ids))) AS l
JOIN memories AS m ON m.id = l.memory_id AND m.space || '' = :space
JOIN memories AS o ON o.id = l.other_id AND o.space || '' = :space
ORDER BY l.kind, l.weight DESC, m.hash, o.hash

-- name: links_towards
SELECT memory_id, other_id FROM links
WHERE other_id IN (SELECT value FROM numbers(:ids)) AND kind = :kind
ORDER BY memory_id, other_id

-- name: links_between
SELECT m.hash, o.hash, l.kind, l.weight, l.at, l.run
FROM links AS l
JOIN memories AS m ON m.id = l.memory_id AND m.space = :space AND m.valid_to > :now
JOIN memories AS o ON o.id = l.other_id AND o.space = :space AND o.valid_to > :now
WHERE l.kind = :kind ORDER BY l.at DESC, m.hash, o.hash LIMIT :limit

-- name: delete_link
DELETE FROM links WHERE kind = :kind
  AND memory_id = (SELECT id FROM memories WHERE space = :space AND hash = :memory)
  AND other_id = (SELECT id FROM memories WHERE space = :space AND hash = :other)

-- name: delete_links_of_run
DELETE FROM links WHERE run = ?
