-- name: keep
INSERT OR REPLACE INTO kept (space, topic, key, value) VALUES (?, ?, ?, ?)

-- name: count_kept
INSERT INTO kept (space, topic, key, value) VALUES (?, ?, '', ?)
ON CONFLICT (space, topic, key) DO UPDATE
    SET value = CAST(CAST(kept.value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)
