-- name: insert_entity
INSERT INTO entities (space, name, key, type, metadata, stated, valid_from, valid_to, recorded)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id

-- name: insert_name
INSERT INTO names (space, key, entity, name) VALUES (?, ?, ?, ?)

-- name: refine_type
UPDATE entities SET type = ? WHERE id = ? AND type = 'term'

-- name: entities_since
SELECT e.id, e.name FROM visible AS v JOIN entities AS e ON e.id = v.id
WHERE v.space = :space AND e.valid_from > :after AND e.valid_from <= :until
ORDER BY e.id LIMIT :limit

-- name: delete_entity
DELETE FROM entities WHERE id = ?

-- name: entity
SELECT name, type, stated FROM entities WHERE id = ?

-- name: merge_names
UPDATE names SET entity = :keep WHERE entity = :other RETURNING key

-- name: retire_loops
UPDATE relations SET retired = :now WHERE source = :keep AND target = :keep AND retired IS NULL
  AND id IN (SELECT value FROM numbers(:moved)) RETURNING id

-- name: merge_observations
UPDATE observations SET entity = :keep WHERE entity = :other RETURNING id

-- name: merge_entity
UPDATE entities SET merged = :keep WHERE id = :other OR merged = :other RETURNING id

-- name: merged_into
SELECT merged FROM entities WHERE id = ? AND merged IS NOT NULL

-- name: set_entity
UPDATE entities SET type = ?, stated = ? WHERE id = ?

-- name: insert_graph_deed
INSERT INTO graph_deeds (space, kind, at, undo) VALUES (?, ?, ?, ?)

-- name: last_graph_deed
SELECT max(id) FROM graph_deeds WHERE space = ?

-- name: later_graph_deeds
SELECT d.id, d.undo FROM graph_deeds AS m JOIN graph_deeds AS d ON d.space = m.space
WHERE m.id = ? AND d.id > m.id AND d.kind = m.kind ORDER BY d.id

-- name: forget_graph_deed
DELETE FROM graph_deeds WHERE id = ?

-- name: part_names
UPDATE names SET entity = :other WHERE entity = :keep AND key IN (SELECT value FROM texts(:rows))

-- name: part_loops
UPDATE relations SET retired = NULL WHERE id IN (SELECT value FROM numbers(:rows))

-- name: part_observations
UPDATE observations SET entity = :other
WHERE entity = :keep AND id IN (SELECT value FROM numbers(:rows))

-- name: part_entities
UPDATE entities SET merged = CASE id WHEN :other THEN NULL ELSE :other END
WHERE merged = :keep AND id IN (SELECT value FROM numbers(:rows))

-- name: stated_entities
SELECT id, name, type, metadata FROM entities WHERE space = ? AND stated

-- name: aliases
SELECT n.key, n.name FROM names AS n JOIN entities AS e ON e.id = n.entity
WHERE n.space = ? AND n.key <> e.key

-- name: delete_alias
DELETE FROM names WHERE space = ? AND key = ?

-- name: graph_deeds
SELECT id, kind, undo FROM graph_deeds WHERE space = ?

-- name: set_graph_undo
UPDATE graph_deeds SET undo = ? WHERE id = ?

-- name: set_entity_type
UPDATE entities SET type = ? WHERE id = ?

-- name: delete_unborne
DELETE FROM entities WHERE id = ?
  AND NOT EXISTS (SELECT 1 FROM borne WHERE borne.id = entities.id)

-- name: set_entity_metadata
UPDATE entities SET metadata = ? WHERE id = ?

-- name: shared_mentions
SELECT entity, memory_id FROM mentions WHERE space = :space AND entity IN (
    SELECT entity FROM mentions WHERE space = :space
    GROUP BY entity HAVING count(*) BETWEEN 2 AND :most)
