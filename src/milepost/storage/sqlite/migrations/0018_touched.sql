-- Of a space that is being moved it is noted which rows are changed meanwhile, so that they can
-- follow: by triggers, which are there as long as a space is watched (storage/moving).

CREATE TABLE IF NOT EXISTS watched (space TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS touched (
    touch INTEGER PRIMARY KEY AUTOINCREMENT,
    part  TEXT NOT NULL,
    key   TEXT NOT NULL,  -- of the row, as JSON
    UNIQUE (part, key)
);

-- Numbers of these are set aside for a space that comes, as those of memories are. Nothing but the
-- text of the table tells that a number is given once; so it need not be written anew.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'INTEGER PRIMARY KEY,', 'INTEGER PRIMARY KEY AUTOINCREMENT,')
WHERE type = 'table' AND name IN ('journal', 'episodes', 'events');
PRAGMA writable_schema = RESET;

INSERT INTO sqlite_sequence (name, seq)
SELECT name, last FROM (
    SELECT 'journal' AS name, (SELECT coalesce(max(id), 0) FROM journal) AS last
    UNION ALL SELECT 'episodes', (SELECT coalesce(max(row), 0) FROM episodes)
    UNION ALL SELECT 'events', (SELECT coalesce(max(row), 0) FROM events)) AS given
WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence AS s WHERE s.name = given.name);
