-- name: insert_relations
INSERT OR IGNORE INTO relations (space, memory_id, source, relation, word, target, origin, weight,
                                 valid_from, valid_to, recorded)
SELECT :space, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
       value ->> 6, value ->> 7, value ->> 8, :now
FROM json_each(:rows)

-- By the words, for a hub has very many other relations.
-- name: relations_by_id
SELECT r.id, s.name, s.type, r.relation, t.name, t.type, r.weight, r.valid_from, r.valid_to,
       r.recorded, r.origin, m.hash,
       (SELECT count(*) FROM relations AS o INDEXED BY relations_by_word
        WHERE o.space = r.space AND o.word = r.word AND o.source = r.source AND o.target = r.target
          AND o.retired IS r.retired AND o.valid_from < r.valid_to AND o.valid_to > r.valid_from)
FROM json_each(?) AS w CROSS JOIN relations AS r ON r.id = w.value
JOIN entities AS s ON s.id = r.source JOIN entities AS t ON t.id = r.target
LEFT JOIN memories AS m ON m.id = r.memory_id
ORDER BY w.key

-- The subqueries are bounded: of each entity its heaviest relations alone are followed, and what many
-- say is one of them.
-- name: reach
WITH RECURSIVE reached (entity, depth) AS (
    SELECT value, 0 FROM json_each(:starts)
    UNION
    SELECT r.target, reached.depth + 1 FROM reached JOIN relations AS r ON r.id IN (
        SELECT max(id) FROM (
            SELECT id, word, target, weight FROM relations
            WHERE source = reached.entity AND space = :space
              AND valid_from <= :at AND valid_to > :at
              AND recorded <= :known AND (retired IS NULL OR retired > :known)
              AND (:forwards IS NULL OR word IN (SELECT value FROM json_each(:forwards)))
            ORDER BY weight DESC LIMIT :rows)
        GROUP BY word, target ORDER BY sum(weight) DESC LIMIT :fan)
    WHERE reached.depth < :depth
    UNION
    SELECT r.source, reached.depth + 1 FROM reached JOIN relations AS r ON r.id IN (
        SELECT max(id) FROM (
            SELECT id, word, source, weight FROM relations
            WHERE target = reached.entity AND space = :space
              AND valid_from <= :at AND valid_to > :at
              AND recorded <= :known AND (retired IS NULL OR retired > :known)
              AND (:backwards IS NULL OR word IN (SELECT value FROM json_each(:backwards)))
            ORDER BY weight DESC LIMIT :rows)
        GROUP BY word, source ORDER BY sum(weight) DESC LIMIT :fan)
    WHERE reached.depth < :depth
    LIMIT :most
)
SELECT entity, min(depth) FROM reached GROUP BY entity

-- Numbers and weights come out of the indexes as JSON: the rows of the table, of which only the first
-- are shown, would take longer than all the rest.
-- name: around
SELECT CAST(e.key AS INTEGER) AS id, min(told.depth) + 1 AS depth, max(e.value) AS weight
FROM (
    SELECT w.value AS depth, (
        SELECT json_group_object(id, weight) FROM (
            SELECT max(id) AS id, max(weight) AS weight FROM (
                SELECT id, word, target, weight FROM relations
                WHERE source = CAST(w.key AS INTEGER) AND space = :space
                  AND valid_from <= :at AND valid_to > :at
                  AND recorded <= :known AND (retired IS NULL OR retired > :known)
                  AND (:forwards IS NULL OR word IN (SELECT value FROM json_each(:forwards)))
                ORDER BY weight DESC LIMIT :rows)
            GROUP BY target, word ORDER BY sum(weight) DESC LIMIT :fan)) AS relations
    FROM json_each(:reached) AS w
    UNION ALL
    SELECT w.value, (
        SELECT json_group_object(id, weight) FROM (
            SELECT max(id) AS id, max(weight) AS weight FROM (
                SELECT id, word, source, weight FROM relations
                WHERE target = CAST(w.key AS INTEGER) AND space = :space
                  AND valid_from <= :at AND valid_to > :at
                  AND recorded <= :known AND (retired IS NULL OR retired > :known)
                  AND (:backwards IS NULL OR word IN (SELECT value FROM json_each(:backwards)))
                ORDER BY weight DESC LIMIT :rows)
            GROUP BY source, word ORDER BY sum(weight) DESC LIMIT :fan))
    FROM json_each(:reached) AS w) AS told
JOIN json_each(told.relations) AS e
GROUP BY e.key ORDER BY depth, weight DESC, id

-- name: step_between
SELECT id, CASE source WHEN :entity THEN target ELSE source END FROM (
    SELECT id, source, target, weight FROM relations
    WHERE source = :entity AND target IN (SELECT value FROM json_each(:others))
      AND space = :space AND valid_from <= :at AND valid_to > :at AND retired IS NULL
    UNION ALL
    SELECT id, source, target, weight FROM relations
    WHERE target = :entity AND source IN (SELECT value FROM json_each(:others))
      AND space = :space AND valid_from <= :at AND valid_to > :at AND retired IS NULL)
ORDER BY weight DESC, id LIMIT 1

-- name: holding
SELECT max(id), 1, max(weight) AS weight FROM relations
WHERE space = :space AND valid_from <= :at AND valid_to > :at
  AND recorded <= :known AND (retired IS NULL OR retired > :known)
GROUP BY source, word, target ORDER BY weight DESC, max(id) DESC

-- name: relations_begun
SELECT max(id), 1 FROM relations
WHERE space = :space AND retired IS NULL AND (:entity IS NULL OR :entity IN (source, target))
GROUP BY source, word, target
HAVING max(valid_from <= :until AND valid_to > :until)
   AND NOT max(valid_from <= :after AND valid_to > :after)
ORDER BY max(id) LIMIT :limit

-- name: relations_ended
SELECT max(id), 1 FROM relations
WHERE space = :space AND retired IS NULL AND (:entity IS NULL OR :entity IN (source, target))
GROUP BY source, word, target
HAVING max(valid_from <= :after AND valid_to > :after)
   AND NOT max(valid_from <= :until AND valid_to > :until)
ORDER BY max(id) LIMIT :limit

-- By the words, whatever else is known of an entity: a hub has a hundred thousand other relations.
-- name: clashing
SELECT a.source, e.name, a.word, a.id, a.target, a.valid_from, a.valid_to
FROM json_each(:words) AS w
CROSS JOIN relations AS a INDEXED BY relations_by_word ON a.space = :space AND a.word = w.value
CROSS JOIN entities AS e ON e.id = a.source
WHERE a.retired IS NULL AND (:source IS NULL OR a.source = :source) AND EXISTS (
    SELECT 1 FROM relations AS b INDEXED BY relations_by_word
    WHERE b.space = :space AND b.word = a.word AND b.source = a.source AND b.target <> a.target
      AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to AND b.retired IS NULL)
ORDER BY a.source, a.word, a.valid_from, a.id

-- name: lines_of_graph
SELECT s.name, t.name, r.relation FROM relations AS r
JOIN entities AS s ON s.id = r.source JOIN entities AS t ON t.id = r.target
WHERE r.space = :space AND r.retired IS NULL AND r.valid_from <= :at AND r.valid_to > :at
GROUP BY r.source, r.word, r.target ORDER BY min(r.id)

-- name: lines_around
SELECT s.name, t.name, r.relation FROM (
    SELECT id FROM relations WHERE source IN (SELECT value FROM json_each(:ids))
    UNION
    SELECT id FROM relations WHERE target IN (SELECT value FROM json_each(:ids))) AS w
JOIN relations AS r ON r.id = w.id
JOIN entities AS s ON s.id = r.source JOIN entities AS t ON t.id = r.target
WHERE r.space = :space AND r.retired IS NULL AND r.valid_from <= :at AND r.valid_to > :at
GROUP BY r.source, r.word, r.target ORDER BY min(r.id)
