-- name: keep
INSERT OR REPLACE INTO kept (space, topic, key, value) VALUES (?, ?, ?, ?)
