-- Whoever stores memories counts that they changed: one row is written once.
-- name: reserve_memories
WITH taken AS (
    UPDATE homes SET last = last + w.count, version = version + 1 FROM (SELECT ?::bigint AS count) AS w
    WHERE name = here() RETURNING number, last, w.count)
SELECT (number << 33) | n FROM taken, generate_series(last - count + 1, last) AS n ORDER BY 1

-- name: add_memory
SELECT * FROM add_memory(
    :space, :hash, :content, :kind, :tags, :projects, :metadata, :session, :author, :recorded_us,
    :created_us, :valid_from_us, :valid_to_us, :traits::int, :terms, :branch, :source, :trust::smallint,
    :marks, :said, :speaker, :terms_once::int[], :keys::int[], :words, :models::text[],
    :vectors::halfvec[], :since, :unless_said, :noted_at::bigint, :noted_as::text, :entry::text)

-- name: insert_memory
INSERT INTO memories (id, space, hash, content, kind, tags, projects, metadata, session, position,
                      author, recorded, created, valid_from, valid_to, traits, terms, change, branch,
                      source, trust, marks, said, speaker, terms_once, keys, words)
VALUES (:id, :space, :hash, :content, :kind, :tags, :projects, :metadata, :session::text,
        CASE WHEN :session::text IS NULL THEN 0 ELSE coalesce(
            (SELECT max(position) + 1 FROM memories WHERE space = :space AND session = :session::text),
            0) END,
        :author, :recorded_us, :created_us, :valid_from_us, :valid_to_us, :traits, :terms, :change,
        :branch, :source, :trust, :marks, :said, :speaker, :terms_once::int[], :keys::int[], :words)

-- name: replace_memory
UPDATE memories SET content = :content, kind = :kind, metadata = :metadata, recorded = :recorded_us,
                    created = :created_us, valid_from = :valid_from_us, valid_to = :valid_to_us,
                    superseded_by = NULL, standing = 0, traits = :traits, terms = :terms,
                    change = :change, speaker = :speaker, terms_once = :terms_once::int[],
                    keys = :keys::int[], words = :words
WHERE id = :id

-- name: settle_memory
UPDATE memories SET session = :session::text, author = :author::text, branch = :branch::text, source = :source,
                    trust = :trust, marks = :marks, said = :said::bigint, standing = :standing,
                    valid_to = :valid_to_us, superseded_by = :superseded_by::bigint, change = :change
WHERE space = :space AND hash = :hash

-- Who speaks is among the terms.
-- name: read_anew
UPDATE memories SET traits = :traits, terms = :terms, terms_once = :terms_once::int[],
                    keys = :keys::int[], words = :words
WHERE id = :id AND coalesce(author, '') = coalesce(:author, '')

-- Labels lie in the row: what it has already is not written again.
-- name: insert_tags
UPDATE memories SET tags = (SELECT array_agg(DISTINCT t ORDER BY t) FROM unnest(tags || w.given) AS t)
FROM (SELECT ?::bigint AS id, array_agg(value) AS given FROM texts(?)) AS w
WHERE memories.id = w.id AND NOT tags @> w.given

-- name: clear_tags
UPDATE memories SET tags = '{}' WHERE id = ?

-- name: insert_projects
UPDATE memories
SET projects = (SELECT array_agg(DISTINCT t ORDER BY t) FROM unnest(projects || w.given) AS t)
FROM (SELECT ?::bigint AS id, array_agg(value) AS given FROM texts(?)) AS w
WHERE memories.id = w.id AND NOT projects @> w.given

-- name: clear_projects
UPDATE memories SET projects = '{}' WHERE id = ?

-- name: insert_vector
INSERT INTO vectors (memory_id, model, vector) VALUES (?, ?, ?)
ON CONFLICT (home, memory_id, model) DO UPDATE SET vector = excluded.vector

-- name: hashes_beside
SELECT value,
       (SELECT hash FROM memories WHERE space = :space AND hash < value COLLATE "C"
        ORDER BY hash DESC LIMIT 1),
       (SELECT hash FROM memories WHERE space = :space AND hash > value COLLATE "C"
        ORDER BY hash LIMIT 1)
FROM texts(:hashes) ORDER BY key

-- What was stored before its text was looked at is trusted no more than it is now.
-- name: mark
UPDATE memories SET marks = :marks, trust = least(trust, CASE :trust WHEN 0 THEN 0 ELSE trust END)
WHERE id = :id

-- name: known_among
SELECT hash, id, valid_to FROM memories
WHERE space = :space AND hash IN (SELECT value FROM texts(:hashes))

-- name: said_twice
SELECT m.id FROM memories AS m
WHERE m.said IN (SELECT value FROM numbers(:keys)) AND m.recorded >= :since AND m.space = :space
  AND m.valid_to > :since AND m.superseded_by IS NULL
  AND (SELECT count(*) FROM memories AS o
       WHERE o.said = m.said AND o.recorded >= :since AND o.space = :space) > 1

-- name: delete_memories
DELETE FROM memories WHERE id IN (SELECT value FROM numbers(?)) RETURNING id, space, hash, content

-- name: record
SELECT m.id, m.space, m.hash, m.content, m.kind, to_json(m.tags)::text, m.metadata, m.session,
       m.position, m.author, to_json(m.projects)::text, m.recorded, m.created, m.valid_from,
       m.valid_to, (SELECT s.hash FROM memories AS s WHERE s.id = m.superseded_by), m.branch,
       m.source, m.marks, m.standing
FROM memories AS m WHERE m.space = ? AND m.hash = ?

-- name: records
SELECT m.id, m.space, m.hash, m.content, m.kind, to_json(m.tags)::text, m.metadata, m.session,
       m.position, m.author, to_json(m.projects)::text, m.recorded, m.created, m.valid_from,
       m.valid_to, (SELECT s.hash FROM memories AS s WHERE s.id = m.superseded_by), m.branch,
       m.source, m.marks, m.standing
FROM memories AS m WHERE m.id IN (SELECT value FROM numbers(?))

-- name: owners
SELECT id, metadata::jsonb ->> 'id' FROM memories WHERE id IN (SELECT value FROM numbers(?))

-- No index has to forget what was removed.
-- name: insert_removal
SELECT ?::bigint, ?::bigint

-- name: is_empty
SELECT false

-- name: forget_removals
SELECT ?::bigint

-- name: set_forgotten
SELECT ?::bigint
