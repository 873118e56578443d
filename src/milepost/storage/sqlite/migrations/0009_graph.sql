-- How things hang together. Two times each: when it held (valid_from, valid_to) and when that was
-- known (recorded, retired). An edge is an assertion with where it comes from; readers group them.

CREATE TABLE entities (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    space      TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    key        TEXT    NOT NULL,  -- the name as names are compared
    type       TEXT    NOT NULL,
    metadata   TEXT    NOT NULL DEFAULT '{}',
    stated     INTEGER NOT NULL,  -- by a caller; else it goes with the last that mentions it
    valid_from INTEGER NOT NULL,
    valid_to   INTEGER NOT NULL,
    recorded   INTEGER NOT NULL,
    merged     INTEGER REFERENCES entities (id) ON DELETE CASCADE,  -- the one it is taken for
    UNIQUE (space, key)
);

CREATE INDEX entities_stated ON entities (space) WHERE stated;
CREATE INDEX entities_merged ON entities (merged) WHERE merged IS NOT NULL;

-- Every way an entity is called, its own name too.
CREATE TABLE names (
    space  TEXT    NOT NULL,
    key    TEXT    NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    name   TEXT    NOT NULL,
    PRIMARY KEY (space, key)
) WITHOUT ROWID;

CREATE INDEX names_by_entity ON names (entity);

CREATE TABLE relations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    space      TEXT    NOT NULL,
    source     INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    relation   TEXT    NOT NULL,
    word       TEXT    NOT NULL,  -- the relation as relations are compared
    target     INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    weight     REAL    NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to   INTEGER NOT NULL,
    recorded   INTEGER NOT NULL,
    retired    INTEGER,
    origin     TEXT    NOT NULL,  -- stated, pattern, together or model
    memory_id  INTEGER REFERENCES memories (id) ON DELETE CASCADE
);

-- Walks read these alone: a row looked up for each relation would double their time.
CREATE INDEX relations_out ON relations
    (source, weight DESC, word, target, space, valid_from, valid_to, recorded, retired);
CREATE INDEX relations_in ON relations
    (target, weight DESC, word, source, space, valid_from, valid_to, recorded, retired);
CREATE INDEX relations_by_word ON relations (space, word, source, target);
CREATE UNIQUE INDEX relations_of_memory ON relations (memory_id, source, word, target, origin)
    WHERE memory_id IS NOT NULL;

CREATE TABLE observations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    space      TEXT    NOT NULL,
    entity     INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    text       TEXT    NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to   INTEGER NOT NULL,
    recorded   INTEGER NOT NULL,
    retired    INTEGER,
    origin     TEXT    NOT NULL,
    memory_id  INTEGER REFERENCES memories (id) ON DELETE CASCADE
);

CREATE INDEX observations_of ON observations (entity);
CREATE INDEX observations_in ON observations (space);
CREATE INDEX observations_of_memory ON observations (memory_id) WHERE memory_id IS NOT NULL;

CREATE TABLE mentions (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    entity    INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    space     TEXT    NOT NULL,
    PRIMARY KEY (memory_id, entity)
) WITHOUT ROWID;

CREATE INDEX mentions_of ON mentions (entity, space);

-- Merges and settled conflicts, with what was before: numbers of rows, no text.
CREATE TABLE graph_deeds (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    space TEXT    NOT NULL,
    kind  TEXT    NOT NULL,  -- merge or resolve
    at    INTEGER NOT NULL,
    undo  TEXT    NOT NULL
);

-- What rests on a memory goes where it goes and holds as long as it holds, whoever writes. A bin is
-- a space: nothing finds there what lies in it, and undo brings it back.
CREATE TRIGGER memory_moved AFTER UPDATE OF space ON memories WHEN new.space <> old.space BEGIN
    UPDATE mentions SET space = new.space WHERE memory_id = new.id;
    UPDATE relations SET space = new.space WHERE memory_id = new.id;
    UPDATE observations SET space = new.space WHERE memory_id = new.id;
END;

CREATE TRIGGER memory_ended AFTER UPDATE OF valid_to ON memories WHEN new.valid_to <> old.valid_to
BEGIN
    UPDATE relations SET valid_to = new.valid_to
    WHERE memory_id = new.id AND valid_to = old.valid_to;
    UPDATE observations SET valid_to = new.valid_to
    WHERE memory_id = new.id AND valid_to = old.valid_to;
END;

-- An entity that nobody stated goes with the last that rests on it.
CREATE VIEW borne AS
SELECT id FROM entities AS e
WHERE stated
   OR EXISTS (SELECT 1 FROM mentions WHERE entity = e.id)
   OR EXISTS (SELECT 1 FROM relations WHERE source = e.id)
   OR EXISTS (SELECT 1 FROM relations WHERE target = e.id)
   OR EXISTS (SELECT 1 FROM observations WHERE entity = e.id)
   OR EXISTS (SELECT 1 FROM entities AS m WHERE m.merged = e.id AND m.stated);

-- What is found in a space: what lies in a bin bears nothing there. The plus keeps SQLite from going
-- through all of a space.
CREATE VIEW visible AS
SELECT id, space FROM entities AS e
WHERE merged IS NULL AND (
    stated
    OR EXISTS (SELECT 1 FROM mentions WHERE entity = e.id AND +space = e.space)
    OR EXISTS (SELECT 1 FROM relations WHERE source = e.id AND +space = e.space)
    OR EXISTS (SELECT 1 FROM relations WHERE target = e.id AND +space = e.space)
    OR EXISTS (SELECT 1 FROM observations WHERE entity = e.id AND +space = e.space));

CREATE TRIGGER mention_gone AFTER DELETE ON mentions BEGIN
    DELETE FROM entities WHERE id = old.entity AND merged IS NULL
        AND NOT EXISTS (SELECT 1 FROM borne WHERE id = old.entity);
END;

CREATE TRIGGER relation_gone AFTER DELETE ON relations BEGIN
    DELETE FROM entities WHERE id = old.source AND merged IS NULL
        AND NOT EXISTS (SELECT 1 FROM borne WHERE id = old.source);
    DELETE FROM entities WHERE id = old.target AND merged IS NULL
        AND NOT EXISTS (SELECT 1 FROM borne WHERE id = old.target);
END;

CREATE TRIGGER observation_gone AFTER DELETE ON observations BEGIN
    DELETE FROM entities WHERE id = old.entity AND merged IS NULL
        AND NOT EXISTS (SELECT 1 FROM borne WHERE id = old.entity);
END;
