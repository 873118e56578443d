-- name: insert_memory
INSERT INTO memories (space, hash, content, kind, metadata, session, position, author, recorded,
                      created, valid_from, valid_to, traits, terms, change, branch, source, trust,
                      marks, said)
VALUES (:space, :hash, :content, :kind, :metadata, :session,
        CASE WHEN :session IS NULL THEN 0 ELSE coalesce(
            (SELECT max(position) + 1 FROM memories WHERE space = :space AND session = :session), 0)
        END,
        :author, :recorded_us, :created_us, :valid_from_us, :valid_to_us, :traits, :terms, :change,
        :branch, :source, :trust, :marks, :said)
RETURNING id

-- name: replace_memory
UPDATE memories SET content = :content, kind = :kind, metadata = :metadata, recorded = :recorded_us,
                    created = :created_us, valid_from = :valid_from_us, valid_to = :valid_to_us,
                    superseded_by = NULL, standing = 0, traits = :traits, terms = :terms, change = :change
WHERE id = :id

-- name: settle_memory
UPDATE memories SET session = :session, author = :author, branch = :branch, source = :source,
                    trust = :trust, marks = :marks, said = :said, standing = :standing,
                    valid_to = :valid_to_us, superseded_by = :superseded_by, change = :change
WHERE space = :space AND hash = :hash

-- Who speaks is among the terms.
-- name: read_anew
UPDATE memories SET traits = :traits, terms = :terms
WHERE id = :id AND coalesce(author, '') = coalesce(:author, '')

-- name: insert_tags
INSERT OR IGNORE INTO tags (memory_id, tag) SELECT ?, value FROM json_each(?)

-- name: clear_tags
DELETE FROM tags WHERE memory_id = ?

-- name: insert_projects
INSERT OR IGNORE INTO projects (memory_id, project) SELECT ?, value FROM json_each(?)

-- name: insert_vector
INSERT OR REPLACE INTO vectors (memory_id, model, vector) VALUES (?, ?, ?)

-- name: hashes_beside
SELECT value,
       (SELECT hash FROM memories WHERE space = :space AND hash < value ORDER BY hash DESC LIMIT 1),
       (SELECT hash FROM memories WHERE space = :space AND hash > value ORDER BY hash LIMIT 1)
FROM json_each(:hashes) ORDER BY key

-- What was stored before its text was looked at is trusted no more than it is now.
-- name: mark
UPDATE memories SET marks = :marks, trust = min(trust, CASE :trust WHEN 0 THEN 0 ELSE trust END)
WHERE id = :id

-- By its own index: there are many memories in a space, and few that say one thing.
-- name: said_twice
SELECT m.id FROM json_each(:keys) AS k CROSS JOIN memories AS m INDEXED BY memories_said
WHERE m.said = k.value AND m.recorded >= :since AND m.space = :space
  AND m.valid_to > :since AND m.superseded_by IS NULL
  AND (SELECT count(*) FROM memories AS o INDEXED BY memories_said
       WHERE o.said = k.value AND o.recorded >= :since AND o.space = :space) > 1

-- name: delete_memories
DELETE FROM memories WHERE id IN (SELECT value FROM json_each(?)) RETURNING id, space, hash, content

-- name: record
SELECT m.id, m.space, m.hash, m.content, m.kind,
       (SELECT json_group_array(tag) FROM tags WHERE memory_id = m.id),
       m.metadata, m.session, m.position, m.author,
       (SELECT json_group_array(project) FROM projects WHERE memory_id = m.id),
       m.recorded, m.created, m.valid_from, m.valid_to,
       (SELECT hash FROM memories WHERE id = m.superseded_by), m.branch, m.source, m.marks, m.standing
FROM memories AS m WHERE m.space = ? AND m.hash = ?

-- name: records
SELECT m.id, m.space, m.hash, m.content, m.kind,
       (SELECT json_group_array(tag) FROM tags WHERE memory_id = m.id),
       m.metadata, m.session, m.position, m.author,
       (SELECT json_group_array(project) FROM projects WHERE memory_id = m.id),
       m.recorded, m.created, m.valid_from, m.valid_to,
       (SELECT hash FROM memories WHERE id = m.superseded_by), m.branch, m.source, m.marks, m.standing
FROM json_each(?) AS wanted JOIN memories AS m ON m.id = wanted.value

-- name: count
SELECT count(*) FROM memories WHERE space = ? AND valid_to > ?

-- name: lacking_model
SELECT id, content, author, created FROM memories
WHERE id > ? AND unicode(space) <> 30  -- what was deleted is sent to nobody
  AND NOT EXISTS (SELECT 1 FROM vectors WHERE memory_id = id AND model = ?)
ORDER BY id LIMIT ?

-- name: owners
SELECT id, metadata ->> '$.id' FROM memories WHERE id IN (SELECT value FROM json_each(?))

-- name: vectors_of
SELECT model, vector FROM vectors WHERE memory_id = ?

-- name: known_among
SELECT m.hash, m.id, m.valid_to FROM texts(:hashes) AS w
CROSS JOIN memories AS m WHERE m.space = :space AND m.hash = w.value
