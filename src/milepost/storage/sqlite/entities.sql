-- CROSS JOIN keeps the order: what is given is looked up, not the whole space gone through.

-- name: entities_by_name
SELECT w.value, n.entity, e.type FROM json_each(:keys) AS w
CROSS JOIN names AS n ON n.space = :space AND n.key = w.value JOIN entities AS e ON e.id = n.entity

-- name: visible_by_name
SELECT w.value, n.entity FROM json_each(:keys) AS w
CROSS JOIN names AS n ON n.space = :space AND n.key = w.value
JOIN visible AS v ON v.id = n.entity

-- name: restate_entity
UPDATE entities SET stated = 1, metadata = json_patch(metadata, :metadata),
                    type = CASE :type WHEN 'term' THEN type ELSE :type END
WHERE id = :id

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

-- name: visible_page
SELECT e.id FROM visible AS v JOIN entities AS e ON e.id = v.id
WHERE v.space = :space AND (
    :query IS NULL OR instr(e.key, :query) OR instr(lower(e.type), :query)
    OR EXISTS (SELECT 1 FROM names WHERE entity = e.id AND instr(key, :query))
    OR e.id IN (SELECT value FROM json_each(:said))
    OR EXISTS (SELECT 1 FROM observations WHERE entity = e.id AND space = :space
               AND retired IS NULL AND instr(lower(text), :query)))
ORDER BY e.id LIMIT :limit

-- name: merge_sources
UPDATE OR IGNORE relations SET source = :keep WHERE source = :other RETURNING id

-- name: merge_targets
UPDATE OR IGNORE relations SET target = :keep WHERE target = :other RETURNING id

-- name: merge_mentions
UPDATE OR IGNORE mentions SET entity = :keep WHERE entity = :other RETURNING memory_id

-- name: part_sources
UPDATE OR IGNORE relations SET source = :other
WHERE source = :keep AND id IN (SELECT value FROM json_each(:rows))

-- name: part_targets
UPDATE OR IGNORE relations SET target = :other
WHERE target = :keep AND id IN (SELECT value FROM json_each(:rows))

-- name: part_mentions
UPDATE OR IGNORE mentions SET entity = :other
WHERE entity = :keep AND memory_id IN (SELECT value FROM json_each(:rows))

-- name: unstate_entity
UPDATE entities SET stated = 0 WHERE id = ?

-- name: insert_entities
INSERT INTO entities (space, name, key, type, stated, valid_from, valid_to, recorded)
SELECT :space, value ->> 1, value ->> 0, value ->> 2, 0, :now, :forever, :now FROM json_each(:rows)
RETURNING key, id

-- name: insert_names
INSERT INTO names (space, key, entity, name)
SELECT :space, value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows)
