-- What was deleted and changed lately, so that it can be taken back for a time.

CREATE TABLE deeds (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    space TEXT    NOT NULL,
    kind  TEXT    NOT NULL,  -- delete, update, store, notice or undo
    at    INTEGER NOT NULL
);

CREATE INDEX deeds_by_space ON deeds (space, id);

-- The memories that a deed concerns, and what it changed of each as it was before. Those that it
-- deleted lie in its bin: a space of its own, which is called char(30) || id.
CREATE TABLE former (
    deed      INTEGER NOT NULL REFERENCES deeds (id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    state     TEXT    NOT NULL,
    own       INTEGER NOT NULL,  -- 0 where only its link to another memory was changed
    PRIMARY KEY (deed, memory_id)
) WITHOUT ROWID;

CREATE INDEX former_by_memory ON former (memory_id, deed);
