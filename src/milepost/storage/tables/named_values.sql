-- name: kept
SELECT value FROM kept WHERE space = ? AND topic = ? AND key = ?

-- name: forget_kept
DELETE FROM kept WHERE space = ? AND topic = ? AND key = ?

-- name: kept_of
SELECT topic, key, value FROM kept WHERE space = ?

-- name: is_bare
SELECT NOT EXISTS (SELECT 1 FROM memories WHERE space = :space)
   AND NOT EXISTS (SELECT 1 FROM episodes WHERE space = :space)
   AND NOT EXISTS (SELECT 1 FROM patterns WHERE space = :space)
   AND NOT EXISTS (SELECT 1 FROM deeds WHERE space = :space)

-- name: forget_all_kept
DELETE FROM kept WHERE space = ? AND topic NOT IN ('retention', 'holds', 'erasing', 'removed')

-- name: forget_journals
DELETE FROM journal WHERE space = ? AND topic <> 'receipts'

-- name: insert_entry
INSERT INTO journal (space, topic, at, entry) VALUES (?, ?, ?, ?)

-- name: trim_journal
DELETE FROM journal WHERE space = :space AND topic = :topic AND id <= (
    SELECT id FROM journal WHERE space = :space AND topic = :topic
    ORDER BY id DESC LIMIT 1 OFFSET :most)

-- name: journal
SELECT at, entry FROM journal WHERE space = ? AND topic = ? AND at >= ? ORDER BY id DESC LIMIT ?

-- name: count_entries
SELECT count(*) FROM journal WHERE space = ? AND topic = ? AND at < ?

-- name: forget_entries
DELETE FROM journal WHERE space = ? AND topic = ? AND at < ?
