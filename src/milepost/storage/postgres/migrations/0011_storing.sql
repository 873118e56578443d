-- expands
-- A memory whose text is new, stored in one step: one statement where five and as many round trips
-- would be, each planned apart. Of a text that is known only its row is told, and nothing written.
-- It stands above the policies and works for the home of its caller, which it is not told but looks
-- up: as a value that no plan knows. Planned for a policy's own condition, a plan would be that of
-- whichever home came first, and read the whole of a large one where that was small.

CREATE FUNCTION add_memory(
    of_space text, of_hash text, content text, kind text, tags text[], projects text[], metadata text,
    of_session text, author text, recorded bigint, created bigint, valid_from bigint,
    valid_to bigint, traits integer, terms bytea, branch text, source text, trust smallint,
    marks text, of_said bigint, speaker bigint, terms_once integer[], keys integer[],
    words sparsevec, models text[], vectors_of halfvec[], since bigint, unless_said boolean,
    noted_at bigint, noted_as text, entry text,
    OUT id bigint, OUT stored boolean, OUT before text, OUT after text, OUT said_lately boolean
) RETURNS SETOF record LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 1
SET search_path = milepost, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_variable
DECLARE of_home text := here(); place bigint := 0;
BEGIN
    IF of_home IS NULL THEN  -- where somebody else writes
        RETURN;
    END IF;
    SELECT m.id INTO id FROM memories AS m
    WHERE m.home = of_home AND m.space = of_space AND m.hash = of_hash;
    stored := id IS NULL;
    IF NOT stored THEN
        RETURN NEXT;
        RETURN;
    END IF;
    said_lately := of_said IS NOT NULL AND EXISTS (
        SELECT 1 FROM memories AS m WHERE m.home = of_home AND m.said = of_said
          AND m.recorded >= since AND m.space = of_space);
    IF said_lately AND unless_said THEN
        stored := false;
        RETURN NEXT;
        RETURN;
    END IF;
    before := (SELECT m.hash FROM memories AS m
               WHERE m.home = of_home AND m.space = of_space AND m.hash < of_hash COLLATE "C"
               ORDER BY m.hash DESC LIMIT 1);
    after := (SELECT m.hash FROM memories AS m
              WHERE m.home = of_home AND m.space = of_space AND m.hash > of_hash COLLATE "C"
              ORDER BY m.hash LIMIT 1);
    IF of_session IS NOT NULL THEN
        place := coalesce((SELECT max(m.position) + 1 FROM memories AS m
                           WHERE m.home = of_home AND m.space = of_space AND m.session = of_session), 0);
    END IF;
    UPDATE homes AS h SET last = h.last + 1, version = h.version + 1 WHERE h.name = of_home
    RETURNING (h.number << 33) | h.last INTO id;
    INSERT INTO memories (home, id, space, hash, content, kind, tags, projects, metadata, session,
                          position, author, recorded, created, valid_from, valid_to, traits, terms, change,
                          branch, source, trust, marks, said, speaker, terms_once, keys, words)
    VALUES (of_home, id, of_space, of_hash, content, kind, tags, projects, metadata, of_session,
            place, author, recorded, created, valid_from, valid_to, traits, terms,
            pg_current_xact_id()::text::bigint, branch, source, trust, marks, of_said, speaker,
            terms_once, keys, words);
    FOR number IN 1 .. coalesce(cardinality(models), 0) LOOP
        INSERT INTO vectors (home, memory_id, model, vector)
        VALUES (of_home, id, models[number], vectors_of[number]);
    END LOOP;
    IF entry IS NOT NULL THEN
        PERFORM append_audit(of_space, noted_at, noted_as, entry);
    END IF;
    RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION add_memory FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_memory TO milepost_member;
