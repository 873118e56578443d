-- name: state
SELECT json_build_object(
    'kind', kind, 'metadata', metadata::json, 'valid_to', valid_to, 'superseded_by', superseded_by,
    'standing', standing, 'tags', tags, 'projects', projects)::text
FROM memories WHERE id = ?

-- name: deeds_about
SELECT d.id, d.kind, d.at, d.space, (SELECT count(*) FROM former WHERE deed = d.id AND own),
       m.id, m.hash
FROM memories AS m JOIN former AS f ON f.memory_id = m.id JOIN deeds AS d ON d.id = f.deed
WHERE m.id IN (
    SELECT id FROM memories WHERE space = :space AND hash >= :prefix AND hash < :after
    UNION ALL
    SELECT b.id FROM deeds AS e JOIN memories AS b
        ON b.space = chr(30) || e.id AND b.hash >= :prefix AND b.hash < :after
    WHERE e.space = :space)
  -- What lies in a bin comes back by the deed of that bin alone, and a deletion that only freed a
  -- memory is none of it.
  AND m.space IN (:space, chr(30) || d.id) AND (f.own OR d.kind NOT IN ('delete', 'undo'))
ORDER BY d.id DESC

-- name: binned
SELECT m.id FROM deeds AS d JOIN memories AS m
    ON m.space = chr(30) || d.id AND m.hash >= :prefix AND m.hash < :after
WHERE d.space = :space ORDER BY m.hash, m.id

-- name: bins
SELECT chr(30) || id FROM deeds WHERE space = ? ORDER BY id

-- name: in_bins
SELECT m.id, m.space FROM deeds AS d JOIN memories AS m ON m.space = chr(30) || d.id
WHERE d.space = :space AND d.at < :before ORDER BY m.id

-- name: count_binned
SELECT count(*) FROM deeds AS d JOIN memories AS m ON m.space = chr(30) || d.id WHERE d.space = ?

-- name: gain_tags
UPDATE memories AS m SET tags = (SELECT array_agg(DISTINCT t ORDER BY t) FROM unnest(m.tags || o.tags) AS t)
FROM memories AS o WHERE m.id = ? AND o.id = ? AND NOT m.tags @> o.tags

-- name: gain_projects
UPDATE memories AS m
SET projects = (SELECT array_agg(DISTINCT t ORDER BY t) FROM unnest(m.projects || o.projects) AS t)
FROM memories AS o WHERE m.id = ? AND o.id = ? AND NOT m.projects @> o.projects

-- name: forget_changes
DELETE FROM deeds WHERE space = ? AND at < ?
  AND NOT EXISTS (SELECT 1 FROM memories WHERE space = chr(30) || deeds.id)

-- name: former_of
SELECT f.deed, f.memory_id, f.state FROM deeds AS d JOIN former AS f ON f.deed = d.id
WHERE d.space = ? AND (f.state::jsonb ->> 'metadata' IS NOT NULL OR f.state::jsonb ->> 'tags' IS NOT NULL)
