-- name: entities_by_name
SELECT n.key, n.entity, (SELECT e.type FROM entities AS e WHERE e.id = n.entity)
FROM names AS n WHERE n.space = :space AND n.key IN (SELECT value FROM texts(:keys))

-- name: visible_by_name
SELECT w.value, n.entity FROM texts(:keys) AS w
JOIN names AS n ON n.space = :space AND n.key = w.value COLLATE "C"
JOIN visible AS v ON v.id = n.entity

-- name: restate_entity
UPDATE entities SET stated = true,
                    metadata = jsonb_strip_nulls(metadata::jsonb || :metadata::jsonb)::text,
                    type = CASE :type::text WHEN 'term' THEN type ELSE :type::text END
WHERE id = :id

-- name: memories_by_hash
SELECT hash, id, valid_from, valid_to FROM memories
WHERE space = :space AND hash IN (SELECT value FROM texts(:hashes))

-- name: insert_mentions
INSERT INTO mentions (memory_id, entity, space)
SELECT (row ->> 0)::bigint, (row ->> 1)::bigint, :space FROM jsonb_array_elements(:rows::jsonb) AS row
ON CONFLICT DO NOTHING

-- name: described
SELECT e.id, e.name, e.type,
       (SELECT coalesce(json_agg(name), '[]')::text FROM names
        WHERE entity = e.id AND key <> e.key),
       (SELECT coalesce(json_agg(text ORDER BY id), '[]')::text FROM (
           SELECT id, text FROM observations WHERE entity = e.id AND space = :space
             AND valid_from <= :at AND valid_to > :at AND recorded <= :known
             AND (retired IS NULL OR retired > :known)
           ORDER BY id LIMIT :observations) AS said),
       (SELECT count(*) FROM relations WHERE source = e.id AND space = :space
           AND valid_from <= :at AND valid_to > :at AND recorded <= :known
           AND (retired IS NULL OR retired > :known))
       + (SELECT count(*) FROM relations WHERE target = e.id AND space = :space
           AND valid_from <= :at AND valid_to > :at AND recorded <= :known
           AND (retired IS NULL OR retired > :known)),
       (SELECT count(*) FROM mentions WHERE entity = e.id AND space = :space),
       e.metadata
FROM numbers(:ids) AS w JOIN entities AS e ON e.id = w.value ORDER BY w.key

-- name: names_with
SELECT min(n.entity), n.key, json_agg(w.value)::text FROM names AS n JOIN texts(:words) AS w
ON strpos(n.key, w.value) > 0 WHERE n.space = :space
GROUP BY n.key ORDER BY sum(length(w.value)) DESC, length(n.key) LIMIT :most

-- name: observations_with
SELECT o.entity, o.text, json_agg(w.value)::text FROM observations AS o
JOIN texts(:words) AS w ON strpos(lower(o.text), w.value) > 0
WHERE o.space = :space AND o.retired IS NULL
GROUP BY o.home, o.id ORDER BY sum(length(w.value)) DESC LIMIT :most

-- name: still_visible
SELECT w.value FROM numbers(:ids) AS w JOIN visible AS v ON v.id = w.value ORDER BY w.key

-- name: names_like
SELECT n.name FROM names AS n JOIN visible AS v ON v.id = n.entity
WHERE n.space = :space AND (strpos(n.key, :start) > 0 OR strpos(:key, n.key) > 0) LIMIT :most

-- name: visible_page
SELECT e.id FROM visible AS v JOIN entities AS e ON e.id = v.id
WHERE v.space = :space AND (
    :query::text IS NULL OR strpos(e.key, :query::text) > 0 OR strpos(lower(e.type), :query::text) > 0
    OR EXISTS (SELECT 1 FROM names WHERE entity = e.id AND strpos(key, :query::text) > 0)
    OR e.id IN (SELECT value FROM numbers(:said))
    OR EXISTS (SELECT 1 FROM observations WHERE entity = e.id AND space = :space
               AND retired IS NULL AND strpos(lower(text), :query::text) > 0))
ORDER BY e.id LIMIT :limit

-- What is said by the same memory of both stays with the one that goes.
-- name: merge_sources
UPDATE relations AS r SET source = :keep WHERE source = :other
  AND NOT EXISTS (SELECT 1 FROM relations AS o WHERE o.memory_id = r.memory_id AND o.source = :keep
                  AND o.word = r.word AND o.target = r.target AND o.origin = r.origin)
RETURNING id

-- name: merge_targets
UPDATE relations AS r SET target = :keep WHERE target = :other
  AND NOT EXISTS (SELECT 1 FROM relations AS o WHERE o.memory_id = r.memory_id AND o.target = :keep
                  AND o.word = r.word AND o.source = r.source AND o.origin = r.origin)
RETURNING id

-- name: merge_mentions
UPDATE mentions AS m SET entity = :keep WHERE entity = :other
  AND NOT EXISTS (SELECT 1 FROM mentions AS o WHERE o.memory_id = m.memory_id AND o.entity = :keep)
RETURNING memory_id

-- name: part_sources
UPDATE relations AS r SET source = :other
WHERE source = :keep AND id IN (SELECT value FROM numbers(:rows))
  AND NOT EXISTS (SELECT 1 FROM relations AS o WHERE o.memory_id = r.memory_id AND o.source = :other
                  AND o.word = r.word AND o.target = r.target AND o.origin = r.origin)

-- name: part_targets
UPDATE relations AS r SET target = :other
WHERE target = :keep AND id IN (SELECT value FROM numbers(:rows))
  AND NOT EXISTS (SELECT 1 FROM relations AS o WHERE o.memory_id = r.memory_id AND o.target = :other
                  AND o.word = r.word AND o.source = r.source AND o.origin = r.origin)

-- name: part_mentions
UPDATE mentions AS m SET entity = :other
WHERE entity = :keep AND memory_id IN (SELECT value FROM numbers(:rows))
  AND NOT EXISTS (SELECT 1 FROM mentions AS o WHERE o.memory_id = m.memory_id AND o.entity = :other)

-- name: unstate_entity
UPDATE entities SET stated = false WHERE id = ?

-- name: insert_entities
INSERT INTO entities (space, name, key, type, stated, valid_from, valid_to, recorded)
SELECT :space, row ->> 1, row ->> 0, row ->> 2, false, :now, :forever, :now
FROM jsonb_array_elements(:rows::jsonb) AS row
RETURNING key, id

-- name: insert_names
INSERT INTO names (space, key, entity, name)
SELECT :space, row ->> 0, (row ->> 1)::bigint, row ->> 2 FROM jsonb_array_elements(:rows::jsonb) AS row
