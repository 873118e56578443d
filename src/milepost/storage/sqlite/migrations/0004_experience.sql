-- Episodes with their steps, and the patterns found in them. Times are microseconds since the
-- epoch; tuples and mappings are JSON.

CREATE TABLE episodes (
    row         INTEGER PRIMARY KEY,
    space       TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    task        TEXT    NOT NULL,
    task_type   TEXT    NOT NULL,
    context     TEXT    NOT NULL,
    tags        TEXT    NOT NULL,
    outcome     TEXT,
    verdict     TEXT    NOT NULL DEFAULT '',
    artifacts   TEXT    NOT NULL DEFAULT '[]',
    created     INTEGER NOT NULL,
    completed   INTEGER,
    reward      REAL,
    terms       TEXT,
    insights    TEXT    NOT NULL DEFAULT '[]',
    salience    REAL,
    relations   TEXT    NOT NULL DEFAULT '[]',
    step_count  INTEGER NOT NULL DEFAULT 0,
    checkpoints TEXT    NOT NULL DEFAULT '[]',
    touched     INTEGER NOT NULL,            -- when it was last worked on
    learned     INTEGER NOT NULL DEFAULT 0,  -- whether its patterns were taken out
    domain      TEXT GENERATED ALWAYS AS (context ->> '$.domain') VIRTUAL,
    UNIQUE (space, id)
);

CREATE INDEX episodes_by_time ON episodes (space, created);
CREATE INDEX episodes_by_type ON episodes (space, task_type, domain, completed)
    WHERE outcome IS NOT NULL;
CREATE INDEX episodes_open ON episodes (space, touched) WHERE outcome IS NULL;
CREATE INDEX episodes_unlearned ON episodes (space, completed)
    WHERE outcome IS NOT NULL AND learned = 0;

CREATE TABLE steps (
    episode     INTEGER NOT NULL REFERENCES episodes (row) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    tool        TEXT    NOT NULL,
    action      TEXT    NOT NULL,
    parameters  TEXT    NOT NULL,
    observation TEXT    NOT NULL,
    success     INTEGER NOT NULL,
    latency_ms  REAL,
    tokens      INTEGER,
    at          INTEGER NOT NULL,
    asked       INTEGER,  -- the number it was given, which another step may have had before
    PRIMARY KEY (episode, number)
) WITHOUT ROWID;

CREATE TABLE patterns (
    space      TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    retired    INTEGER NOT NULL,
    confidence REAL    NOT NULL,
    version    INTEGER NOT NULL,
    body       TEXT    NOT NULL,
    PRIMARY KEY (space, id)
) WITHOUT ROWID;

-- Which patterns whoever works on an episode was told of; its outcome says whether they helped.
CREATE TABLE shown (
    space   TEXT NOT NULL,
    episode TEXT NOT NULL,
    pattern TEXT NOT NULL,
    PRIMARY KEY (space, episode, pattern)
) WITHOUT ROWID;
