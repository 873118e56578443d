-- name: keep
INSERT INTO kept (space, topic, key, value) VALUES (?, ?, ?, ?)
ON CONFLICT (home, space, topic, key) DO UPDATE SET value = excluded.value
