-- name: oldest_event
SELECT min(at) FROM events WHERE space = ?

-- name: events_since
SELECT row, id, at, type, content, outcome, session, duration_ms, project FROM events
WHERE space = ? AND row > ? ORDER BY row LIMIT ?

-- name: last_event
SELECT row FROM events WHERE space = ? ORDER BY row DESC LIMIT 1

-- name: insert_event
INSERT INTO events (space, id, at, type, content, outcome, session, duration_ms, project)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: texts_of_events
SELECT row, content, type, outcome, session FROM events WHERE space = ?
