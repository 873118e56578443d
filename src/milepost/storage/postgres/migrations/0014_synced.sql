-- expands
-- What another store of the same person was told of each memory, link and event, and heard of it: when
-- it came, went and changed, and digests of what it says; no text.

CREATE TABLE synced (
    home   text COLLATE "C" NOT NULL DEFAULT here(),
    space  text COLLATE "C" NOT NULL,
    key    text COLLATE "C" NOT NULL,
    number bigint  NOT NULL,  -- of the change that came last here
    alive  boolean NOT NULL,
    ended  text,              -- until when it holds and what replaced it, as it was last seen
    seen   text    NOT NULL,  -- a digest of the rest, as it was last seen
    state  text    NOT NULL,
    PRIMARY KEY (home, space, key)
);
CREATE INDEX synced_by_number ON synced (home, space, number);

ALTER TABLE synced ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_home ON synced TO milepost_member USING (home = here());
GRANT SELECT, INSERT, UPDATE, DELETE ON synced TO milepost_member;

CREATE TRIGGER row_touched AFTER INSERT OR UPDATE OR DELETE ON synced FOR EACH ROW
WHEN (current_setting('milepost.watched', true) = 'yes')
EXECUTE FUNCTION touch(synced, space, key);
