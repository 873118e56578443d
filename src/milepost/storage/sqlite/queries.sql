-- name: set_change
UPDATE meta SET value = ? WHERE key = 'change'

-- name: latest_change
SELECT value FROM meta WHERE key = 'change'

-- name: insert_memory
INSERT INTO memories (space, hash, content, kind, metadata, session, position, author, recorded,
                      created, valid_from, valid_to, traits, terms, change)
VALUES (:space, :hash, :content, :kind, :metadata, :session,
        CASE WHEN :session IS NULL THEN 0 ELSE coalesce(
            (SELECT max(position) + 1 FROM memories WHERE space = :space AND session = :session), 0)
        END,
        :author, :recorded, :created, :valid_from, :valid_to, :traits, :terms, :change)
RETURNING id

-- name: replace_memory
UPDATE memories SET content = :content, kind = :kind, metadata = :metadata, recorded = :recorded,
                    created = :created, valid_from = :valid_from, valid_to = :valid_to,
                    superseded_by = NULL, traits = :traits, terms = :terms, change = :change
WHERE id = :id

-- name: insert_tag
INSERT OR IGNORE INTO tags (memory_id, tag) VALUES (?, ?)

-- name: clear_tags
DELETE FROM tags WHERE memory_id = ?

-- name: insert_project
INSERT OR IGNORE INTO projects (memory_id, project) VALUES (?, ?)

-- name: insert_vector
INSERT OR REPLACE INTO vectors (memory_id, model, vector) VALUES (?, ?, ?)

-- name: clear_vectors
DELETE FROM vectors WHERE memory_id = ?

-- name: known
SELECT id, valid_to FROM memories WHERE space = ? AND hash = ?

-- name: hashes_with_prefix
SELECT hash FROM memories WHERE space = ? AND hash >= ? AND hash < ? ORDER BY hash LIMIT ?

-- name: hashes_beside
SELECT value,
       (SELECT hash FROM memories WHERE space = :space AND hash < value ORDER BY hash DESC LIMIT 1),
       (SELECT hash FROM memories WHERE space = :space AND hash > value ORDER BY hash LIMIT 1)
FROM json_each(:hashes) ORDER BY key

-- name: touch
UPDATE memories SET change = ? WHERE id = ?

-- name: set_valid_to
UPDATE memories SET valid_to = ?, superseded_by = ?, change = ? WHERE id = ?

-- name: set_kind
UPDATE memories SET kind = ? WHERE id = ?

-- name: set_metadata
UPDATE memories SET metadata = ? WHERE id = ?

-- name: superseded_by
SELECT id, valid_to FROM memories WHERE superseded_by = ?

-- name: successor
SELECT superseded_by FROM memories WHERE id = ?

-- name: delete_memory
DELETE FROM memories WHERE id = ? RETURNING space, hash, content

-- name: insert_removal
INSERT INTO removals (change, memory_id) VALUES (?, ?)

-- name: removed_after
SELECT memory_id FROM removals WHERE change > ?

-- name: known_ids
SELECT id FROM memories UNION SELECT memory_id FROM removals WHERE change > ?

-- name: forget_removals
DELETE FROM removals WHERE change <= ?

-- name: set_forgotten
INSERT OR REPLACE INTO meta (key, value) VALUES ('forgotten', ?)

-- name: forgotten
SELECT value FROM meta WHERE key = 'forgotten'

-- name: ids
SELECT id FROM memories

-- name: last_id
SELECT seq FROM sqlite_sequence WHERE name = 'memories'

-- name: is_empty
SELECT NOT EXISTS (SELECT 1 FROM memories)

-- name: index_stamp
SELECT value FROM meta WHERE key = 'index'

-- name: set_index_stamp
UPDATE meta SET value = ? WHERE key = 'index'

-- name: changed_after
SELECT m.id, m.change, m.space, m.session, m.position, m.author, m.created, m.valid_from, m.valid_to,
       m.traits, m.terms, m.kind,
       (SELECT json_group_array(tag) FROM tags WHERE memory_id = m.id),
       (SELECT json_group_array(project) FROM projects WHERE memory_id = m.id),
       v.model, v.vector
FROM (SELECT * FROM memories WHERE change > ? ORDER BY change LIMIT ?) AS m
LEFT JOIN vectors AS v ON v.memory_id = m.id
ORDER BY m.change

-- name: record
SELECT m.id, m.space, m.hash, m.content, m.kind, m.metadata, m.session, m.position, m.author,
       m.recorded, m.created, m.valid_from, m.valid_to,
       (SELECT hash FROM memories WHERE id = m.superseded_by),
       (SELECT json_group_array(tag) FROM tags WHERE memory_id = m.id),
       (SELECT json_group_array(project) FROM projects WHERE memory_id = m.id)
FROM memories AS m WHERE m.space = ? AND m.hash = ?

-- name: records
SELECT m.id, m.space, m.hash, m.content, m.kind, m.metadata, m.session, m.position, m.author,
       m.recorded, m.created, m.valid_from, m.valid_to,
       (SELECT hash FROM memories WHERE id = m.superseded_by),
       (SELECT json_group_array(tag) FROM tags WHERE memory_id = m.id),
       (SELECT json_group_array(project) FROM projects WHERE memory_id = m.id)
FROM json_each(?) AS wanted JOIN memories AS m ON m.id = wanted.value

-- name: analysis_version
SELECT value FROM meta WHERE key = 'analysis'

-- name: set_analysis_version
UPDATE meta SET value = ? WHERE key = 'analysis'

-- name: vectors_of
SELECT model, vector FROM vectors WHERE memory_id = ?

-- name: count_all
SELECT count(*) FROM memories

-- name: count
SELECT count(*) FROM memories WHERE space = ? AND valid_to > ?

-- name: lacking_model
SELECT id, content, author, created FROM memories
WHERE id > ? AND NOT EXISTS (SELECT 1 FROM vectors WHERE memory_id = id AND model = ?)
ORDER BY id LIMIT ?

-- name: contents
SELECT id, content, author, created FROM memories WHERE id > ? ORDER BY id LIMIT ?

-- name: set_terms
UPDATE memories SET terms = ?, traits = ?, change = ? WHERE id = ?

-- name: kept
SELECT value FROM kept WHERE space = ? AND topic = ? AND key = ?

-- name: keep
INSERT OR REPLACE INTO kept (space, topic, key, value) VALUES (?, ?, ?, ?)

-- name: forget_kept
DELETE FROM kept WHERE space = ? AND topic = ? AND key = ?

-- name: kept_of
SELECT topic, key, value FROM kept WHERE space = ?

-- name: is_bare
SELECT NOT EXISTS (SELECT 1 FROM memories WHERE space = :space)
   AND NOT EXISTS (SELECT 1 FROM episodes WHERE space = :space)
   AND NOT EXISTS (SELECT 1 FROM patterns WHERE space = :space)

-- name: forget_all_kept
DELETE FROM kept WHERE space = ?

-- name: forget_journals
DELETE FROM journal WHERE space = ?

-- name: insert_entry
INSERT INTO journal (space, topic, at, entry) VALUES (?, ?, ?, ?)

-- name: trim_journal
DELETE FROM journal WHERE space = :space AND topic = :topic AND id <= (
    SELECT id FROM journal WHERE space = :space AND topic = :topic
    ORDER BY id DESC LIMIT 1 OFFSET :most)

-- name: journal
SELECT at, entry FROM journal WHERE space = ? AND topic = ? AND at >= ? ORDER BY id DESC LIMIT ?
