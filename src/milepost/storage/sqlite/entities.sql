-- CROSS JOIN keeps the order: what is given is looked up, not the whole space gone through.

-- name: entities_by_name
SELECT w.value, n.entity, e.type FROM json_each(:keys) AS w
CROSS JOIN names AS n ON n.space = :space AND n.key = w.value JOIN entities AS e ON e.id = n.entity

-- name: visible_by_name
SELECT w.value, n.entity FROM json_each(:keys) AS w
CROSS JOIN names AS n ON n.space = :space AND n.key = w.value
JOIN visible AS v ON v.id = n.entity

-- name: insert_entity
INSERT INTO entities (space, name, key, type, metadata, stated, valid_from, valid_to, recorded)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id

-- name: insert_name
INSERT INTO names (space, key, entity, name) VALUES (?, ?, ?, ?)

-- name: restate_entity
UPDATE entities SET stated = 1, metadata = json_patch(metadata, :metadata),
                    type = CASE :type WHEN 'term' THEN type ELSE :type END
WHERE id = :id

-- name: refine_type
UPDATE entities SET type = ? WHERE id = ? AND type = 'term'

-- name: memories_by_hash
SELECT m.hash, m.id, m.valid_from, m.valid_to FROM json_each(:hashes) AS w
CROSS JOIN memories AS m ON m.space = :space AND m.hash = w.value

-- name: insert_mentions
INSERT OR IGNORE INTO mentions (memory_id, entity, space)
SELECT value ->> 0, value ->> 1, :space FROM json_each(:rows)

-- name: described
SELECT e.id, e.name, e.type,
       (SELECT json_group_array(name) FROM names WHERE entity = e.id AND key <> e.key),
       json((SELECT json_group_array(text) FROM (
           SELECT text FROM observations WHERE entity = e.id AND space = :space
             AND valid_from <= :at AND valid_to > :at AND recorded <= :known
             AND (retired IS NULL OR retired > :known)
           ORDER BY id LIMIT :observations))),
       (SELECT count(*) FROM relations WHERE source = e.id AND space = :space
           AND valid_from <= :at AND valid_to > :at AND recorded <= :known
           AND (retired IS NULL OR retired > :known))
       + (SELECT count(*) FROM relations WHERE target = e.id AND space = :space
           AND valid_from <= :at AND valid_to > :at AND recorded <= :known
           AND (retired IS NULL OR retired > :known)),
       (SELECT count(*) FROM mentions WHERE entity = e.id AND space = :space),
       e.metadata
FROM json_each(:ids) AS w CROSS JOIN entities AS e ON e.id = w.value ORDER BY w.key

-- name: names_with
SELECT n.entity, n.key, json_group_array(w.value) FROM names AS n JOIN json_each(:words) AS w
ON instr(n.key, w.value) WHERE n.space = :space
GROUP BY n.key ORDER BY sum(length(w.value)) DESC, length(n.key) LIMIT :most

-- name: observations_with
SELECT o.entity, o.text, json_group_array(w.value) FROM observations AS o
JOIN json_each(:words) AS w ON instr(lower(o.text), w.value)
WHERE o.space = :space AND o.retired IS NULL
GROUP BY o.id ORDER BY sum(length(w.value)) DESC LIMIT :most

-- name: still_visible
SELECT w.value FROM json_each(:ids) AS w CROSS JOIN visible AS v ON v.id = w.value ORDER BY w.key

-- name: names_like
SELECT n.name FROM names AS n JOIN visible AS v ON v.id = n.entity
WHERE n.space = :space AND (instr(n.key, :start) OR instr(:key, n.key)) LIMIT :most

-- name: shared_mentions
SELECT entity, memory_id FROM mentions WHERE space = :space AND entity IN (
    SELECT entity FROM mentions WHERE space = :space
    GROUP BY entity HAVING count(*) BETWEEN 2 AND :most)

-- name: visible_page
SELECT e.id FROM visible AS v JOIN entities AS e ON e.id = v.id
WHERE v.space = :space AND (
    :query IS NULL OR instr(e.key, :query) OR instr(lower(e.type), :query)
    OR EXISTS (SELECT 1 FROM names WHERE entity = e.id AND instr(key, :query))
    OR EXISTS (SELECT 1 FROM observations WHERE entity = e.id AND space = :space
               AND retired IS NULL AND instr(lower(text), :query)))
ORDER BY e.id LIMIT :limit

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

-- name: merge_sources
UPDATE OR IGNORE relations SET source = :keep WHERE source = :other RETURNING id

-- name: merge_targets
UPDATE OR IGNORE relations SET target = :keep WHERE target = :other RETURNING id

-- name: retire_loops
UPDATE relations SET retired = :now WHERE source = :keep AND target = :keep AND retired IS NULL
  AND id IN (SELECT value FROM json_each(:moved)) RETURNING id

-- name: merge_observations
UPDATE observations SET entity = :keep WHERE entity = :other RETURNING id

-- name: merge_mentions
UPDATE OR IGNORE mentions SET entity = :keep WHERE entity = :other RETURNING memory_id

-- name: merge_entity
UPDATE entities SET merged = :keep WHERE id = :other OR merged = :other RETURNING id

-- name: merged_into
SELECT merged FROM entities WHERE id = ? AND merged IS NOT NULL

-- name: set_entity
UPDATE entities SET type = ?, stated = ? WHERE id = ?

-- name: insert_graph_deed
INSERT INTO graph_deeds (space, kind, at, undo) VALUES (?, ?, ?, ?) RETURNING id

-- name: graph_deed
SELECT kind, undo FROM graph_deeds WHERE space = ? AND id = ?

-- name: later_graph_deeds
SELECT d.id, d.undo FROM graph_deeds AS m JOIN graph_deeds AS d ON d.space = m.space
WHERE m.id = ? AND d.id > m.id AND d.kind = m.kind ORDER BY d.id

-- name: forget_graph_deed
DELETE FROM graph_deeds WHERE id = ?

-- name: part_names
UPDATE names SET entity = :other WHERE entity = :keep AND key IN (SELECT value FROM json_each(:rows))

-- name: part_sources
UPDATE OR IGNORE relations SET source = :other
WHERE source = :keep AND id IN (SELECT value FROM json_each(:rows))

-- name: part_targets
UPDATE OR IGNORE relations SET target = :other
WHERE target = :keep AND id IN (SELECT value FROM json_each(:rows))

-- name: part_loops
UPDATE relations SET retired = NULL WHERE id IN (SELECT value FROM json_each(:rows))

-- name: part_observations
UPDATE observations SET entity = :other
WHERE entity = :keep AND id IN (SELECT value FROM json_each(:rows))

-- name: part_mentions
UPDATE OR IGNORE mentions SET entity = :other
WHERE entity = :keep AND memory_id IN (SELECT value FROM json_each(:rows))

-- name: part_entities
UPDATE entities SET merged = CASE id WHEN :other THEN NULL ELSE :other END
WHERE merged = :keep AND id IN (SELECT value FROM json_each(:rows))

-- name: stated_entities
SELECT id, name, type, metadata FROM entities WHERE space = ? AND stated

-- name: aliases
SELECT n.key, n.name FROM names AS n JOIN entities AS e ON e.id = n.entity
WHERE n.space = ? AND n.key <> e.key

-- name: delete_alias
DELETE FROM names WHERE space = ? AND key = ?

-- name: graph_deeds
SELECT id, undo FROM graph_deeds WHERE space = ?

-- name: set_graph_undo
UPDATE graph_deeds SET undo = ? WHERE id = ?

-- name: set_entity_type
UPDATE entities SET type = ? WHERE id = ?

-- name: unstate_entity
UPDATE entities SET stated = 0 WHERE id = ?

-- name: delete_unborne
DELETE FROM entities WHERE id = ?
  AND NOT EXISTS (SELECT 1 FROM borne WHERE borne.id = entities.id)

-- name: set_entity_metadata
UPDATE entities SET metadata = ? WHERE id = ?
