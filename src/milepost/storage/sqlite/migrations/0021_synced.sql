-- What another store of the same person was told of each memory, link and event, and heard of it: when
-- it came, went and changed, and digests of what it says; no text.

CREATE TABLE IF NOT EXISTS synced (
    space  TEXT    NOT NULL,
    key    TEXT    NOT NULL,
    number INTEGER NOT NULL,  -- of the change that came last here
    alive  INTEGER NOT NULL,
    ended  TEXT,              -- until when it holds and what replaced it, as it was last seen
    seen   TEXT    NOT NULL,  -- a digest of the rest, as it was last seen
    state  TEXT    NOT NULL,
    PRIMARY KEY (space, key)
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS synced_by_number ON synced (space, number);
