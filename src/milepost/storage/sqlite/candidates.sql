-- name: set_change
UPDATE meta SET value = ? WHERE key = 'change'

-- name: latest_change
SELECT value FROM meta WHERE key = 'change'

-- name: insert_removal
INSERT INTO removals (change, memory_id) VALUES (?, ?)

-- Nothing stands for deletions since then that were forgotten.
-- name: removed_after
SELECT memory_id FROM removals WHERE change > :change
UNION ALL SELECT NULL FROM meta WHERE key = 'forgotten' AND value > :change

-- name: known_ids
SELECT id FROM memories UNION SELECT memory_id FROM removals WHERE change > ?

-- name: forget_removals
DELETE FROM removals WHERE change <= ?

-- name: set_forgotten
INSERT OR REPLACE INTO meta (key, value) VALUES ('forgotten', ?)

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
       m.traits, m.trust,
       -- What says nothing ranks as what has faded.
       CASE WHEN m.standing = 0 AND m.marks = 'boilerplate' THEN 1 ELSE m.standing END,
       m.terms, m.kind, substr(m.content, 1, ?),
       (SELECT json_group_array(tag) FROM tags WHERE memory_id = m.id),
       (SELECT json_group_array(project) FROM projects WHERE memory_id = m.id), m.branch,
       v.model, v.vector
FROM (SELECT * FROM memories WHERE change > ? ORDER BY change LIMIT ?) AS m
LEFT JOIN vectors AS v ON v.memory_id = m.id
ORDER BY m.change

-- name: analysis_version
SELECT value FROM meta WHERE key = 'analysis'

-- name: set_analysis_version
UPDATE meta SET value = ? WHERE key = 'analysis'

-- name: count_all
SELECT count(*) FROM memories

-- name: contents
SELECT id, content, author, created FROM memories WHERE id > ? ORDER BY id LIMIT ?

-- name: set_terms
UPDATE memories SET terms = ?, traits = ?, change = ? WHERE id = ?
