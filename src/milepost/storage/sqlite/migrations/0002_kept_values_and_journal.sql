-- What is kept beside the memories: single values by name, and records that only grow.

CREATE TABLE kept (
    space TEXT NOT NULL,
    topic TEXT NOT NULL,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (space, topic, key)
) WITHOUT ROWID;

CREATE TABLE journal (
    id    INTEGER PRIMARY KEY,
    space TEXT    NOT NULL,
    topic TEXT    NOT NULL,
    at    INTEGER NOT NULL,
    entry TEXT    NOT NULL
);

CREATE INDEX journal_by_topic ON journal (space, topic, id);
