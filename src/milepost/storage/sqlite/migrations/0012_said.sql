-- What the words of a memory come to, by which those are found that say the same.

ALTER TABLE memories ADD COLUMN said INTEGER;

CREATE INDEX memories_said ON memories (said, recorded) WHERE said IS NOT NULL;
