-- name: oldest_event
SELECT min(at) FROM events WHERE space = ?

-- name: insert_event
INSERT INTO events (space, id, at, type, content, outcome, session, duration_ms, project)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: texts_of_events
SELECT row, content || chr(10) || type || chr(10) || coalesce(outcome, '')
            || chr(10) || coalesce(session, '')
FROM events WHERE space = ?
