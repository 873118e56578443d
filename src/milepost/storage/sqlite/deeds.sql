-- name: state
SELECT json_object(
    'kind', kind, 'metadata', json(metadata), 'valid_to', valid_to, 'superseded_by', superseded_by, 'standing', standing,
    'tags', json((SELECT json_group_array(tag) FROM tags WHERE memory_id = id)),
    'projects', json((SELECT json_group_array(project) FROM projects WHERE memory_id = id)))
FROM memories WHERE id = ?

-- name: deeds_about
SELECT d.id, d.kind, d.at, d.space, (SELECT count(*) FROM former WHERE deed = d.id AND own),
       m.id, m.hash
FROM memories AS m JOIN former AS f ON f.memory_id = m.id JOIN deeds AS d ON d.id = f.deed
WHERE m.id IN (
    SELECT id FROM memories WHERE space = :space AND hash >= :prefix AND hash < :after
    UNION ALL
    SELECT b.id FROM deeds AS e JOIN memories AS b
        ON b.space = char(30) || e.id AND b.hash >= :prefix AND b.hash < :after
    WHERE e.space = :space)
  -- What lies in a bin comes back by the deed of that bin alone, and a deletion that only freed a
  -- memory is none of it.
  AND m.space IN (:space, char(30) || d.id) AND (f.own OR d.kind NOT IN ('delete', 'undo'))
ORDER BY d.id DESC

-- name: binned
SELECT m.id FROM deeds AS d JOIN memories AS m
    ON m.space = char(30) || d.id AND m.hash >= :prefix AND m.hash < :after
WHERE d.space = :space ORDER BY m.hash, m.id

-- name: bins
SELECT char(30) || id FROM deeds WHERE space = ? ORDER BY id

-- name: in_bins
SELECT m.id, m.space FROM deeds AS d JOIN memories AS m ON m.space = char(30) || d.id
WHERE d.space = :space AND d.at < :before ORDER BY m.id

-- name: count_binned
SELECT count(*) FROM deeds AS d JOIN memories AS m ON m.space = char(30) || d.id WHERE d.space = ?

-- name: gain_tags
INSERT OR IGNORE INTO tags (memory_id, tag) SELECT ?, tag FROM tags WHERE memory_id = ?

-- name: gain_projects
INSERT OR IGNORE INTO projects (memory_id, project) SELECT ?, project FROM projects WHERE memory_id = ?

-- name: clear_projects
DELETE FROM projects WHERE memory_id = ?

-- name: forget_changes
DELETE FROM deeds WHERE space = ? AND at < ?
  AND NOT EXISTS (SELECT 1 FROM memories WHERE space = char(30) || deeds.id)

-- name: former_of
SELECT f.deed, f.memory_id, f.state FROM deeds AS d JOIN former AS f ON f.deed = d.id
WHERE d.space = ? AND (f.state ->> '$.metadata' IS NOT NULL OR f.state ->> '$.tags' IS NOT NULL)
