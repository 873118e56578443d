-- name: oldest_event
SELECT min(at) FROM events WHERE space = ?

-- name: insert_event
INSERT INTO events (space, id, at, type, content, outcome, session, duration_ms, project)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
