-- How often what a space shows has changed, so that an answer can be given again while it has not.
-- Counted by triggers, whoever writes. A row is made first if there is none: a conflict clause of
-- the statement that fires a trigger would hold in it too.

CREATE TABLE IF NOT EXISTS versions (
    space   TEXT PRIMARY KEY,
    version INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS memory_stored AFTER INSERT ON memories BEGIN
    INSERT INTO versions SELECT new.space, 0
    WHERE NOT EXISTS (SELECT 1 FROM versions WHERE space = new.space);
    UPDATE versions SET version = version + 1 WHERE space = new.space;
END;

CREATE TRIGGER IF NOT EXISTS memory_changed AFTER UPDATE ON memories BEGIN
    INSERT INTO versions SELECT new.space, 0
    WHERE NOT EXISTS (SELECT 1 FROM versions WHERE space = new.space);
    UPDATE versions SET version = version + 1 WHERE space IN (old.space, new.space);
END;

CREATE TRIGGER IF NOT EXISTS memory_deleted AFTER DELETE ON memories BEGIN
    UPDATE versions SET version = version + 1 WHERE space = old.space;
END;

CREATE TRIGGER IF NOT EXISTS link_added AFTER INSERT ON links BEGIN
    UPDATE versions SET version = version + 1
    WHERE space = (SELECT space FROM memories WHERE id = new.memory_id);
END;

CREATE TRIGGER IF NOT EXISTS link_removed AFTER DELETE ON links BEGIN
    UPDATE versions SET version = version + 1
    WHERE space = (SELECT space FROM memories WHERE id = old.memory_id);
END;

INSERT OR IGNORE INTO versions SELECT DISTINCT space, 0 FROM memories;

-- What will end to hold by itself, the next first.
CREATE INDEX IF NOT EXISTS memories_by_end ON memories (space, valid_to) WHERE valid_to < 9223372036854775807;
