-- Spaces that were moved to another store: whoever still writes to one here is refused, by triggers,
-- so that no way to write can forget to look. What finds episodes lies in spaces whose names end with
-- that of the space. Jobs are only added to: what was moved has none left here.

CREATE TABLE IF NOT EXISTS moved (
    space  TEXT PRIMARY KEY,
    target TEXT NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS moved_memories_insert BEFORE INSERT ON memories
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_memories_update BEFORE UPDATE ON memories
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space) OR new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_memories_delete BEFORE DELETE ON memories
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_deeds_insert BEFORE INSERT ON deeds
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_deeds_update BEFORE UPDATE ON deeds
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space) OR new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_deeds_delete BEFORE DELETE ON deeds
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_entities_insert BEFORE INSERT ON entities
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_entities_update BEFORE UPDATE ON entities
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space) OR new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_entities_delete BEFORE DELETE ON entities
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_names_insert BEFORE INSERT ON names
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_relations_insert BEFORE INSERT ON relations
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_relations_update BEFORE UPDATE ON relations
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space) OR new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_relations_delete BEFORE DELETE ON relations
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_observations_insert BEFORE INSERT ON observations
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_observations_update BEFORE UPDATE ON observations
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space) OR new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_observations_delete BEFORE DELETE ON observations
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_graph_deeds_insert BEFORE INSERT ON graph_deeds
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_graph_deeds_delete BEFORE DELETE ON graph_deeds
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_kept_insert BEFORE INSERT ON kept
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_kept_update BEFORE UPDATE ON kept
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space) OR new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_kept_delete BEFORE DELETE ON kept
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_episodes_insert BEFORE INSERT ON episodes
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_episodes_update BEFORE UPDATE ON episodes
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space) OR new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_episodes_delete BEFORE DELETE ON episodes
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_patterns_insert BEFORE INSERT ON patterns
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_patterns_update BEFORE UPDATE ON patterns
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space) OR new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_shown_insert BEFORE INSERT ON shown
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_events_insert BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_events_delete BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space OR (substr(old.space, 1, 1) = char(31) AND substr(old.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_jobs_insert BEFORE INSERT ON jobs
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_answers_insert BEFORE INSERT ON answers
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space OR (substr(new.space, 1, 1) = char(31) AND substr(new.space, -length(space) - 1) = ' ' || space))
BEGIN SELECT RAISE(ABORT, 'moved'); END;
