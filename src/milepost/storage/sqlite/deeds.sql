-- name: state
SELECT kind, valid_to, superseded_by, standing, metadata,
       (SELECT json_group_array(tag) FROM tags WHERE memory_id = id),
       (SELECT json_group_array(project) FROM projects WHERE memory_id = id)
FROM memories WHERE id = ?

-- name: gain_tags
INSERT OR IGNORE INTO tags (memory_id, tag) SELECT ?, tag FROM tags WHERE memory_id = ?

-- name: gain_projects
INSERT OR IGNORE INTO projects (memory_id, project) SELECT ?, project FROM projects WHERE memory_id = ?

-- name: clear_projects
DELETE FROM projects WHERE memory_id = ?

-- name: former_of
SELECT f.deed, f.memory_id, f.state FROM deeds AS d JOIN former AS f ON f.deed = d.id
WHERE d.space = ? AND (f.state ->> '$.metadata' IS NOT NULL OR f.state ->> '$.tags' IS NOT NULL)
