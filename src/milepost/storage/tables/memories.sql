-- name: clear_vectors
DELETE FROM vectors WHERE memory_id = ?

-- name: known
SELECT id, valid_to FROM memories WHERE space = ? AND hash = ?

-- name: hashes_with_prefix
SELECT hash FROM memories WHERE space = ? AND hash >= ? AND hash < ? ORDER BY hash LIMIT ?

-- name: touch
UPDATE memories SET change = ? WHERE id = ?

-- name: set_valid_to
UPDATE memories SET valid_to = ?, superseded_by = ?, change = ? WHERE id = ?

-- name: set_standing
UPDATE memories SET standing = ? WHERE id = ?

-- name: stand_again
UPDATE memories SET standing = ? WHERE id = ? AND standing < 3

-- name: hold_anew
UPDATE memories SET created = :created, valid_from = :valid_from
WHERE id = :id AND created < :created
  AND (valid_to < :forever
       OR EXISTS (SELECT 1 FROM links WHERE other_id = memories.id AND kind = :may_replace))

-- What was said again stands before what it was thought to give way to.
-- name: unlink_from
DELETE FROM links WHERE other_id = ? AND kind = ?

-- Who says again what was said vouches for it.
-- name: vouch
UPDATE memories SET source = :source, trust = :trust WHERE id = :id AND trust < :trust

-- name: set_kind
UPDATE memories SET kind = ? WHERE id = ?

-- name: set_metadata
UPDATE memories SET metadata = ? WHERE id = ?

-- name: superseded_by
SELECT id, valid_to FROM memories WHERE superseded_by = ?

-- name: successor
SELECT superseded_by FROM memories WHERE id = ?

-- name: set_marks
UPDATE memories SET marks = :marks, trust = :trust WHERE id = :id
