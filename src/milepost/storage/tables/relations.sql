-- name: stated_relation
SELECT id, weight, valid_from, valid_to FROM relations
WHERE source = :source AND target = :target AND word = :word AND space = :space
  AND origin = 'stated' AND retired IS NULL AND valid_from < :to AND valid_to > :from
ORDER BY id DESC LIMIT 1

-- name: retire_relation
UPDATE relations SET retired = ? WHERE id = ?

-- name: insert_relation
INSERT INTO relations (space, source, relation, word, target, weight, valid_from, valid_to,
                       recorded, origin)
VALUES (:space, :source, :relation, :word, :target, :weight, :from, :to, :now, 'stated')
RETURNING id

-- name: relation_span
SELECT valid_to, retired FROM relations WHERE id = ?

-- name: set_relation_span
UPDATE relations SET valid_to = ?, retired = ? WHERE id = ?

-- name: delete_relation
DELETE FROM relations
WHERE source = :source AND target = :target AND word = :word AND space = :space

-- name: relation_words
SELECT DISTINCT word, relation FROM relations WHERE space = ? AND memory_id IS NULL

-- name: delete_word
DELETE FROM relations WHERE space = ? AND word = ? AND memory_id IS NULL
