-- Where a memory comes from and how far it can be trusted, what is to be known of its text, and
-- whether it has faded (1) or was archived (2).

ALTER TABLE memories ADD COLUMN source   TEXT    NOT NULL DEFAULT 'user';
ALTER TABLE memories ADD COLUMN trust    INTEGER NOT NULL DEFAULT 6;
ALTER TABLE memories ADD COLUMN marks    TEXT    NOT NULL DEFAULT '';  -- words with blanks between
ALTER TABLE memories ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;

UPDATE memories SET source = 'assistant', trust = 5 WHERE metadata ->> '$.by' = 'notice';
