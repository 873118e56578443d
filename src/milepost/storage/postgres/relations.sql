-- name: insert_relations
INSERT INTO relations (space, memory_id, source, relation, word, target, origin, weight, valid_from,
                       valid_to, recorded)
SELECT :space, (row ->> 0)::bigint, (row ->> 1)::bigint, row ->> 2, row ->> 3, (row ->> 4)::bigint,
       row ->> 5, (row ->> 6)::float8, (row ->> 7)::bigint, (row ->> 8)::bigint, :now
FROM jsonb_array_elements(:rows::jsonb) AS row
ON CONFLICT DO NOTHING

-- name: relations_by_id
SELECT r.id, s.name, s.type, r.relation, t.name, t.type, r.weight, r.valid_from, r.valid_to,
       r.recorded, r.origin, m.hash,
       (SELECT count(*) FROM relations AS o
        WHERE o.space = r.space AND o.word = r.word AND o.source = r.source AND o.target = r.target
          AND o.retired IS NOT DISTINCT FROM r.retired
          AND o.valid_from < r.valid_to AND o.valid_to > r.valid_from)
FROM numbers(?) AS w JOIN relations AS r ON r.id = w.value
JOIN entities AS s ON s.id = r.source JOIN entities AS t ON t.id = r.target
LEFT JOIN memories AS m ON m.id = r.memory_id
ORDER BY w.key

-- The subqueries are bounded: of each entity its heaviest relations alone are followed, and what many
-- say is one of them.
-- name: reach
WITH RECURSIVE reached (entity, depth) AS (
    SELECT value, 0 FROM numbers(:starts)
    UNION
    (SELECT n.entity, reached.depth + 1 FROM reached CROSS JOIN LATERAL (
        (SELECT target AS entity FROM (
            SELECT word, target, weight FROM relations
            WHERE source = reached.entity AND space = :space
              AND valid_from <= :at AND valid_to > :at
              AND recorded <= :known AND (retired IS NULL OR retired > :known)
              AND (:forwards::text IS NULL OR word IN (SELECT value FROM texts(:forwards)))
            ORDER BY weight DESC LIMIT :rows) AS heaviest
        GROUP BY word, target ORDER BY sum(weight) DESC LIMIT :fan)
        UNION ALL
        (SELECT source FROM (
            SELECT word, source, weight FROM relations
            WHERE target = reached.entity AND space = :space
              AND valid_from <= :at AND valid_to > :at
              AND recorded <= :known AND (retired IS NULL OR retired > :known)
              AND (:backwards::text IS NULL OR word IN (SELECT value FROM texts(:backwards)))
            ORDER BY weight DESC LIMIT :rows) AS heaviest
        GROUP BY word, source ORDER BY sum(weight) DESC LIMIT :fan)) AS n
    WHERE reached.depth < :depth)
)
SELECT entity, min(depth) FROM (SELECT entity, depth FROM reached LIMIT :most) AS first
GROUP BY entity

-- name: around
SELECT max(r.id), min(w.value::bigint) + 1 AS depth, max(r.weight) AS weight
FROM jsonb_each_text(:reached::jsonb) AS w CROSS JOIN LATERAL (
    (SELECT max(id) AS id FROM (
        SELECT id, word, target, weight FROM relations
        WHERE source = w.key::bigint AND space = :space
          AND valid_from <= :at AND valid_to > :at
          AND recorded <= :known AND (retired IS NULL OR retired > :known)
          AND (:forwards::text IS NULL OR word IN (SELECT value FROM texts(:forwards)))
        ORDER BY weight DESC LIMIT :rows) AS heaviest
    GROUP BY word, target ORDER BY sum(weight) DESC LIMIT :fan)
    UNION ALL
    (SELECT max(id) FROM (
        SELECT id, word, source, weight FROM relations
        WHERE target = w.key::bigint AND space = :space
          AND valid_from <= :at AND valid_to > :at
          AND recorded <= :known AND (retired IS NULL OR retired > :known)
          AND (:backwards::text IS NULL OR word IN (SELECT value FROM texts(:backwards)))
        ORDER BY weight DESC LIMIT :rows) AS heaviest
    GROUP BY word, source ORDER BY sum(weight) DESC LIMIT :fan)) AS f
JOIN relations AS r ON r.id = f.id
GROUP BY r.source, r.word, r.target ORDER BY depth, weight DESC, max(r.id)

-- name: step_between
SELECT id, CASE source WHEN :entity THEN target ELSE source END FROM (
    SELECT id, source, target, weight FROM relations
    WHERE source = :entity AND target IN (SELECT value FROM numbers(:others))
      AND space = :space AND valid_from <= :at AND valid_to > :at AND retired IS NULL
    UNION ALL
    SELECT id, source, target, weight FROM relations
    WHERE target = :entity AND source IN (SELECT value FROM numbers(:others))
      AND space = :space AND valid_from <= :at AND valid_to > :at AND retired IS NULL) AS between
ORDER BY weight DESC, id LIMIT 1

-- name: holding
SELECT max(id), 1, max(weight) AS weight FROM relations
WHERE space = :space AND valid_from <= :at AND valid_to > :at
  AND recorded <= :known AND (retired IS NULL OR retired > :known)
GROUP BY source, word, target ORDER BY weight DESC, max(id) DESC

-- name: relations_begun
SELECT max(id), 1 FROM relations
WHERE space = :space AND retired IS NULL
  AND (:entity::bigint IS NULL OR :entity::bigint IN (source, target))
GROUP BY source, word, target
HAVING bool_or(valid_from <= :until AND valid_to > :until)
   AND NOT bool_or(valid_from <= :after AND valid_to > :after)
ORDER BY max(id) LIMIT :limit

-- name: relations_ended
SELECT max(id), 1 FROM relations
WHERE space = :space AND retired IS NULL
  AND (:entity::bigint IS NULL OR :entity::bigint IN (source, target))
GROUP BY source, word, target
HAVING bool_or(valid_from <= :after AND valid_to > :after)
   AND NOT bool_or(valid_from <= :until AND valid_to > :until)
ORDER BY max(id) LIMIT :limit

-- name: clashing
SELECT a.source, e.name, a.word, a.id, a.target, a.valid_from, a.valid_to
FROM texts(:words) AS w
JOIN relations AS a ON a.space = :space AND a.word = w.value COLLATE "C"
JOIN entities AS e ON e.id = a.source
WHERE a.retired IS NULL AND (:source::bigint IS NULL OR a.source = :source::bigint) AND EXISTS (
    SELECT 1 FROM relations AS b
    WHERE b.space = :space AND b.word = a.word AND b.source = a.source AND b.target <> a.target
      AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to AND b.retired IS NULL)
ORDER BY a.source, a.word, a.valid_from, a.id

-- name: lines_of_graph
SELECT min(s.name), min(t.name), min(r.relation) FROM relations AS r
JOIN entities AS s ON s.id = r.source JOIN entities AS t ON t.id = r.target
WHERE r.space = :space AND r.retired IS NULL AND r.valid_from <= :at AND r.valid_to > :at
GROUP BY r.source, r.word, r.target ORDER BY min(r.id)

-- name: lines_around
SELECT min(s.name), min(t.name), min(r.relation) FROM (
    SELECT id FROM relations WHERE source IN (SELECT value FROM numbers(:ids))
    UNION
    SELECT id FROM relations WHERE target IN (SELECT value FROM numbers(:ids))) AS w
JOIN relations AS r ON r.id = w.id
JOIN entities AS s ON s.id = r.source JOIN entities AS t ON t.id = r.target
WHERE r.space = :space AND r.retired IS NULL AND r.valid_from <= :at AND r.valid_to > :at
GROUP BY r.source, r.word, r.target ORDER BY min(r.id)
