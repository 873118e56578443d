-- What calls were answered that go by a key, for a while: a call that is sent twice is done once.

CREATE TABLE answers (
    space  TEXT    NOT NULL,
    key    TEXT    NOT NULL,
    call   TEXT    NOT NULL,  -- a digest of what was called with which arguments
    answer TEXT,              -- none for a call that was begun, or quoted what was deleted since
    at     INTEGER NOT NULL,
    PRIMARY KEY (space, key)
) WITHOUT ROWID;

CREATE INDEX answers_by_time ON answers (at);
-- Those that may quote a memory: names, hashes and numbers are shorter.
CREATE INDEX answers_that_tell ON answers (space) WHERE length(answer) > 40;
