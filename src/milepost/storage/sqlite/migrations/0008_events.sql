-- What happened, in order; kept apart from memories, so that no search goes through it.

CREATE TABLE events (
    row         INTEGER PRIMARY KEY,
    space       TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    type        TEXT    NOT NULL,
    content     TEXT    NOT NULL,
    outcome     TEXT,
    session     TEXT,
    duration_ms REAL,
    project     TEXT
);

CREATE UNIQUE INDEX events_by_id ON events (space, id);
CREATE INDEX events_by_time ON events (space, at);
CREATE INDEX events_by_session ON events (space, session, at) WHERE session IS NOT NULL;
