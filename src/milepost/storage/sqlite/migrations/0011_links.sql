-- What memories have to do with each other, beside that one replaces another.

CREATE TABLE links (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    other_id  INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    kind      TEXT    NOT NULL,
    weight    REAL    NOT NULL,
    at        INTEGER NOT NULL,
    run       TEXT    NOT NULL,  -- the consolidation that made it; empty for others
    PRIMARY KEY (memory_id, other_id, kind)
) WITHOUT ROWID;

CREATE INDEX links_by_other ON links (other_id);
CREATE INDEX links_by_run ON links (run) WHERE run <> '';
