-- name: known_observations
SELECT id, text FROM observations
WHERE entity = :entity AND space = :space AND (CAST(:read AS text) IS NULL OR text = :read)
  AND (CAST(:now AS bigint) IS NULL OR (retired IS NULL AND valid_to > :now))

-- name: insert_observation
INSERT INTO observations (space, entity, text, valid_from, valid_to, recorded, origin)
VALUES (:space, :entity, :text, :from, :to, :now, 'stated')

-- name: observations_between
SELECT e.name, o.text, o.valid_from, o.valid_to, o.recorded, o.origin, m.hash
FROM observations AS o JOIN entities AS e ON e.id = o.entity
LEFT JOIN memories AS m ON m.id = o.memory_id
WHERE o.space = :space AND o.retired IS NULL AND (CAST(:entity AS bigint) IS NULL OR o.entity = :entity)
  AND o.valid_from > :after AND o.valid_from <= :until AND o.valid_to > :until
ORDER BY o.id LIMIT :limit

-- name: observations_ended
SELECT e.name, o.text, o.valid_from, o.valid_to, o.recorded, o.origin, m.hash
FROM observations AS o JOIN entities AS e ON e.id = o.entity
LEFT JOIN memories AS m ON m.id = o.memory_id
WHERE o.space = :space AND o.retired IS NULL AND (CAST(:entity AS bigint) IS NULL OR o.entity = :entity)
  AND o.valid_from <= :after AND o.valid_to > :after AND o.valid_to <= :until
ORDER BY o.id LIMIT :limit

-- name: observations_said
SELECT entity, text FROM observations WHERE space = ? AND retired IS NULL ORDER BY id

-- name: stated_observations
SELECT id, text FROM observations WHERE space = ? AND memory_id IS NULL

-- name: delete_observations
DELETE FROM observations WHERE id IN (SELECT value FROM numbers(?))
