-- expands
-- What rests on a memory goes where it goes and holds as long as it holds, whoever writes. A bin is
-- a space: nothing finds there what lies in it, and undo brings it back.

-- Whoever copies a space copies all that rests on its memories, too.
CREATE FUNCTION is_copying() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT coalesce(current_setting('milepost.copying', true), '') = 'yes' $$;

CREATE FUNCTION follow_memory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF new.space <> old.space THEN
        UPDATE mentions SET space = new.space WHERE home = new.home AND memory_id = new.id;
        UPDATE relations SET space = new.space WHERE home = new.home AND memory_id = new.id;
        UPDATE observations SET space = new.space WHERE home = new.home AND memory_id = new.id;
    END IF;
    IF new.valid_to <> old.valid_to THEN
        UPDATE relations SET valid_to = new.valid_to
        WHERE home = new.home AND memory_id = new.id AND valid_to = old.valid_to;
        UPDATE observations SET valid_to = new.valid_to
        WHERE home = new.home AND memory_id = new.id AND valid_to = old.valid_to;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER memory_moved AFTER UPDATE OF space, valid_to ON memories FOR EACH ROW
    WHEN ((new.space <> old.space OR new.valid_to <> old.valid_to) AND NOT is_copying())
    EXECUTE FUNCTION follow_memory();

-- An entity that nobody stated goes with the last that rests on it.
CREATE VIEW borne WITH (security_invoker = true) AS
SELECT home, id FROM entities AS e
WHERE stated
   OR EXISTS (SELECT 1 FROM mentions WHERE home = e.home AND entity = e.id)
   OR EXISTS (SELECT 1 FROM relations WHERE home = e.home AND source = e.id)
   OR EXISTS (SELECT 1 FROM relations WHERE home = e.home AND target = e.id)
   OR EXISTS (SELECT 1 FROM observations WHERE home = e.home AND entity = e.id)
   OR EXISTS (SELECT 1 FROM entities AS m WHERE m.home = e.home AND m.merged = e.id AND m.stated);

-- What is found in a space: what lies in a bin bears nothing there.
CREATE VIEW visible WITH (security_invoker = true) AS
SELECT home, id, space FROM entities AS e
WHERE merged IS NULL AND (
    stated
    OR EXISTS (SELECT 1 FROM mentions WHERE home = e.home AND entity = e.id AND space = e.space)
    OR EXISTS (SELECT 1 FROM relations WHERE home = e.home AND source = e.id AND space = e.space)
    OR EXISTS (SELECT 1 FROM relations WHERE home = e.home AND target = e.id AND space = e.space)
    OR EXISTS (SELECT 1 FROM observations WHERE home = e.home AND entity = e.id AND space = e.space));

CREATE FUNCTION drop_unborne() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE one bigint;
BEGIN
    FOREACH one IN ARRAY CASE TG_TABLE_NAME
        WHEN 'relations' THEN ARRAY[(to_jsonb(old) ->> 'source')::bigint, (to_jsonb(old) ->> 'target')::bigint]
        ELSE ARRAY[(to_jsonb(old) ->> 'entity')::bigint] END
    LOOP
        DELETE FROM entities AS e WHERE e.home = old.home AND e.id = one AND e.merged IS NULL
            AND NOT EXISTS (SELECT 1 FROM borne AS b WHERE b.home = e.home AND b.id = e.id);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER mention_gone AFTER DELETE ON mentions FOR EACH ROW
    WHEN (NOT is_copying()) EXECUTE FUNCTION drop_unborne();
CREATE TRIGGER relation_gone AFTER DELETE ON relations FOR EACH ROW
    WHEN (NOT is_copying()) EXECUTE FUNCTION drop_unborne();
CREATE TRIGGER observation_gone AFTER DELETE ON observations FOR EACH ROW
    WHEN (NOT is_copying()) EXECUTE FUNCTION drop_unborne();
