-- name: newest
-- Streamed from the newest on, so that a large store is not sorted for a few of its memories.
SELECT m.id, m.space, m.hash, m.content, m.kind, m.metadata, m.session, m.position, m.author,
       m.recorded, m.created, m.valid_from, m.valid_to,
       (SELECT json_group_array(tag) FROM tags WHERE memory_id = m.id),
       (SELECT json_group_array(project) FROM projects WHERE memory_id = m.id), m.marks, m.source
FROM memories AS m
WHERE m.space = :space AND m.valid_from <= :now AND m.valid_to > :now
  AND (NOT EXISTS (SELECT 1 FROM projects WHERE memory_id = m.id)
       OR EXISTS (SELECT 1 FROM projects WHERE memory_id = m.id AND project = :project))
  AND (:names IS NULL OR lower(m.kind) IN (SELECT value FROM json_each(:names))
       OR EXISTS (SELECT 1 FROM tags, json_each(:names) AS name
                  WHERE memory_id = m.id AND lower(tag) = name.value))
  AND m.standing < 2
  AND (m.branch IS NULL OR m.branch = :branch)
ORDER BY m.id DESC LIMIT :limit

-- name: kept_value
SELECT value FROM kept WHERE space = ? AND topic = ? AND key = ?
