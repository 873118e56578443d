-- What was said on a branch that is not merged belongs to it; what a memory says of the code is
-- compared with the code later.

ALTER TABLE memories ADD COLUMN branch TEXT;
CREATE INDEX memories_by_branch ON memories (space, branch) WHERE branch IS NOT NULL;

CREATE TABLE anchors (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (memory_id, path, symbol)
) WITHOUT ROWID;
