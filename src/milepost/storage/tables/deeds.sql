-- name: begin_deed
INSERT INTO deeds (space, kind, at) VALUES (?, ?, ?) RETURNING id

-- name: former
SELECT state FROM former WHERE deed = ? AND memory_id = ?

-- To replace a row in one statement takes a journal of its own, and that takes long in a savepoint.
-- name: insert_former
INSERT INTO former (state, own, deed, memory_id) VALUES (?, ?, ?, ?)

-- name: set_former
UPDATE former SET state = ?, own = ? WHERE deed = ? AND memory_id = ?

-- name: entries
SELECT memory_id, state FROM former WHERE deed = ? ORDER BY memory_id

-- name: some_of
SELECT m.hash, m.content FROM former AS f JOIN memories AS m ON m.id = f.memory_id
WHERE f.deed = ? AND f.own ORDER BY m.id LIMIT ?

-- name: move
UPDATE memories SET space = ?, change = ? WHERE id = ?

-- name: place
SELECT space, hash, content FROM memories WHERE id = ?

-- name: deed_space
SELECT space FROM deeds WHERE id = ?

-- name: links
SELECT superseded_by, space FROM memories WHERE id = ?

-- What an undo took away comes back as it was then.
-- name: later_entries
SELECT l.deed, l.memory_id, l.state FROM former AS f JOIN former AS l
    ON l.memory_id = f.memory_id AND l.deed > f.deed
JOIN deeds AS d ON d.id = l.deed
WHERE f.deed = ? AND d.kind <> 'undo' ORDER BY l.deed

-- name: forget_entry
DELETE FROM former WHERE deed = ? AND memory_id = ?

-- name: forget_deed
DELETE FROM deeds WHERE id = ?

-- name: oldest_deed
SELECT min(at) FROM deeds WHERE space = ?

-- name: deeds
SELECT d.id, d.kind, d.at, d.space, (SELECT count(*) FROM former WHERE deed = d.id AND own)
FROM deeds AS d
WHERE d.space = :space AND d.kind IN (SELECT value FROM texts(:kinds))
  -- A consolidation may do no more than to link memories.
  AND EXISTS (SELECT 1 FROM former WHERE deed = d.id AND (own OR d.kind = 'consolidation'))
ORDER BY d.id DESC LIMIT :limit

-- name: forget_empty_deeds
DELETE FROM deeds WHERE space = ? AND NOT EXISTS (
    SELECT 1 FROM former WHERE deed = id AND (own OR kind = 'consolidation'))

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

-- name: forget_changes
DELETE FROM deeds WHERE space = ? AND at < ?
  AND NOT EXISTS (SELECT 1 FROM memories WHERE space = chr(30) || deeds.id)
