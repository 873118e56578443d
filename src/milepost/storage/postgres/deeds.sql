-- name: state
SELECT kind, valid_to, superseded_by, standing, metadata, to_json(tags)::text, to_json(projects)::text
FROM memories WHERE id = ?

-- name: gain_tags
UPDATE memories AS m SET tags = (SELECT array_agg(DISTINCT t ORDER BY t) FROM unnest(m.tags || o.tags) AS t)
FROM memories AS o WHERE m.id = ? AND o.id = ? AND NOT m.tags @> o.tags

-- name: gain_projects
UPDATE memories AS m
SET projects = (SELECT array_agg(DISTINCT t ORDER BY t) FROM unnest(m.projects || o.projects) AS t)
FROM memories AS o WHERE m.id = ? AND o.id = ? AND NOT m.projects @> o.projects

-- name: former_of
SELECT f.deed, f.memory_id, f.state FROM deeds AS d JOIN former AS f ON f.deed = d.id
WHERE d.space = ? AND f.own
