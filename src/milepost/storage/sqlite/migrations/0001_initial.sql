-- Times are microseconds since the epoch, UTC. An open end (valid_to) is the largest integer.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

-- 'change' numbers every write to a memory, so that derived indexes can follow; 'index' is the
-- stamp of the index made from this file, so that the index of another copy is not taken for it.
INSERT INTO meta VALUES ('change', 0), ('analysis', 0), ('index', 0);

CREATE TABLE memories (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    space         TEXT    NOT NULL,
    hash          TEXT    NOT NULL,
    content       TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    metadata      TEXT    NOT NULL,
    session       TEXT,
    position      INTEGER NOT NULL,
    author        TEXT,
    recorded      INTEGER NOT NULL,
    created       INTEGER NOT NULL,
    valid_from    INTEGER NOT NULL,
    valid_to      INTEGER NOT NULL,
    superseded_by INTEGER REFERENCES memories (id) ON DELETE SET NULL,
    traits         INTEGER NOT NULL,
    terms         BLOB    NOT NULL,
    change        INTEGER NOT NULL,
    UNIQUE (space, hash)
);

CREATE UNIQUE INDEX memories_by_change ON memories (change);
CREATE INDEX memories_by_session ON memories (space, session, position) WHERE session IS NOT NULL;
CREATE INDEX memories_by_successor ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE tags (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    tag       TEXT    NOT NULL,
    PRIMARY KEY (memory_id, tag)
) WITHOUT ROWID;

-- The same content may be known to several projects.
CREATE TABLE projects (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    project   TEXT    NOT NULL,
    PRIMARY KEY (memory_id, project)
) WITHOUT ROWID;

CREATE TABLE vectors (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    model     TEXT    NOT NULL,
    vector    BLOB    NOT NULL,
    PRIMARY KEY (memory_id, model)
) WITHOUT ROWID;

-- Deleted ids stay known, so that every index learns to forget them too.
CREATE TABLE removals (
    change    INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL
);
