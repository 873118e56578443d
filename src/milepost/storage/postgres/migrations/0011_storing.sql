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
    words sparsevec, models text[], vectors_of halfvec[], since bigint,
    unless_said boolean,
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
    RETURN NEXT;
END $$;

-- Those who share the rarest terms of a text, by how many of them and by how alike they are.
DO $generate$
DECLARE part integer;
BEGIN
    FOR part IN 0..7 LOOP
        EXECUTE replace($text$
CREATE FUNCTION sharing_{part}(
    of_home text, of_space text, number bigint, rare integer[], rare_keys integer[], terms float8,
    of_model text, near halfvec, most integer, every bigint[], either bigint[], owned bigint[],
    without bigint[], branches text[], in_session text, after bigint, before bigint, known bigint,
    holding bigint, below integer, trusted integer
) RETURNS TABLE (likeness float8, memory memories) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY SELECT b.alike, r::memories FROM (
        SELECT s.id, s.alike, s.shared / terms + s.alike AS chosen_by FROM (
        SELECT h.id, h.shared, coalesce((
            SELECT -(v.vector <#> near) FROM vectors_{part} AS v
            WHERE v.home = of_home AND v.memory_id = h.id AND v.model = of_model
              AND vector_dims(v.vector) = vector_dims(near)), 0) AS alike
        FROM (
            SELECT m.id, (SELECT count(*) FROM unnest(m.terms_once) AS t (term)
                          WHERE t.term = ANY (rare)) AS shared
            FROM memories_{part} AS m
            WHERE m.keys && rare_keys AND m.id >> 33 = number AND m.space || '' = of_space
              AND passes(m, every, either, owned, without, branches, in_session, after, before, known,
                         holding, below, trusted) OFFSET 0) AS h OFFSET 0) AS s
        ORDER BY chosen_by DESC, s.id DESC LIMIT most) AS b
    CROSS JOIN LATERAL (
        SELECT r FROM memories_{part} AS r WHERE r.home = of_home AND r.id = b.id OFFSET 0) AS w (r)
    ORDER BY b.chosen_by DESC, b.id DESC;
END $$;
        $text$, '{part}', part::text);
    END LOOP;
END $generate$;

-- Those that share terms with a text, but for common ones: the most alike, and how alike they are.
-- What was stored a moment ago need not be counted: a word is as rare without it.
DROP FUNCTION sharing;
CREATE FUNCTION sharing(
    of_home text, of_space text, mix integer, asked integer[], of_model text, near halfvec,
    most integer,
    names_every text[], names_either text[], names_owned text[], names_without text[],
    branches text[], in_session text, after bigint, before bigint, known bigint, holding bigint,
    below integer, trusted integer
) RETURNS TABLE (likeness float8, memory memories) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
SET search_path = milepost, public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    telling CONSTANT integer := 16;       -- the rarest terms are enough
    common_least CONSTANT integer := 200; -- what more hold than this, and this share, tells nothing
    common_share CONSTANT float8 := 0.01;
    least_terms CONSTANT integer := 4;    -- so many are looked for, however many hold them
    holders_most CONSTANT integer := 500; -- and no more once so many hold those before
    number bigint; memories bigint; rare integer[];
BEGIN
    PERFORM only_here(of_home);
    SELECT h.number INTO number FROM homes AS h WHERE h.name = of_home;
    memories := (SELECT c.memories FROM space_counts AS c WHERE c.home = of_home AND c.space = of_space);
    rare := ARRAY(
        SELECT r.term FROM (
            SELECT q.term, row_number() OVER rarest AS place, sum(q.held) OVER rarest AS holders FROM (
                SELECT t.term, coalesce((
                    SELECT w.held FROM word_counts AS w
                    WHERE w.home = of_home AND w.space = of_space AND w.term = t.term), 0) AS held
                FROM unnest(asked) AS t (term)) AS q
            WHERE q.held <= greatest(common_least, common_share * coalesce(memories, 0))
            WINDOW rarest AS (ORDER BY q.held, q.term)) AS r
        WHERE r.place <= telling AND (r.place <= least_terms OR r.holders <= holders_most));
    IF rare <> '{}' THEN
        RETURN QUERY EXECUTE format(
            'SELECT * FROM sharing_%s($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,'
            ' $16, $17, $18, $19, $20, $21)', part_of(of_home))
        USING of_home, of_space, number, rare, ARRAY(SELECT r # mix FROM unnest(rare) AS r),
            least(cardinality(asked), telling)::float8, of_model, near, most,
            labels_named(of_home, names_every), labels_named(of_home, names_either),
            labels_named(of_home, names_owned), labels_named(of_home, names_without), branches,
            in_session, after, before, known, holding, below, trusted;
    END IF;
END $$;

DO $$
DECLARE one text;
BEGIN
    FOR one IN
        SELECT p.oid::regprocedure::text FROM pg_proc AS p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('add_memory', 'sharing')
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', one);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO milepost_member', one);
    END LOOP;
END $$;
