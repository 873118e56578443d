-- Work to be done later, by whichever process comes to it first. The same work is there once.

CREATE TABLE jobs (
    id       INTEGER PRIMARY KEY,
    space    TEXT    NOT NULL,
    topic    TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    payload  TEXT    NOT NULL,
    state    TEXT    NOT NULL DEFAULT 'waiting',  -- waiting, running or dead
    due      INTEGER NOT NULL,                    -- of a running one: when its claim ends
    attempts INTEGER NOT NULL DEFAULT 0,
    again    INTEGER,                             -- when it is due again, asked for while it ran
    claim    TEXT,
    problem  TEXT    NOT NULL DEFAULT '',
    UNIQUE (space, topic, key)
);

CREATE INDEX jobs_by_due ON jobs (topic, due) WHERE state <> 'dead';
