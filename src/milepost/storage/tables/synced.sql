-- name: synced
SELECT key, number, alive, ended, seen FROM synced WHERE space = ?

-- name: synced_states
SELECT key, state FROM synced
WHERE space = :space AND key IN (SELECT value FROM texts(:keys))

-- name: synced_since
SELECT key, number, state FROM synced
WHERE space = :space AND number > :since ORDER BY number, key

-- name: let_go
UPDATE synced SET seen = :seen
WHERE space = :space AND alive AND key IN (SELECT value FROM texts(:keys))
