-- expands
-- Those that share terms with a text, but for common ones: the most alike, and how alike they are.
-- What was stored a moment ago need not be counted: a word is as rare without it.
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

-- For each word of a memory that several hold, but not too many: those who hold it, and how many.
CREATE FUNCTION rare_words(of_home text, of_id bigint, others integer[], most integer)
RETURNS TABLE (holder bigint, holders integer) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = milepost, public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
DECLARE own record; counts record; rare integer[]; keys_of integer[]; held_by integer[];
BEGIN
    PERFORM only_here(of_home);
    SELECT m.space, m.terms_once, m.terms_once[1] # m.keys[1] AS mix INTO own
    FROM memories AS m WHERE m.home = of_home AND m.id = of_id;
    SELECT * INTO counts FROM counted_words(of_home, own.space, own.terms_once);
    SELECT array_agg(q.term), array_agg(q.held), array_agg(q.term # own.mix)
    INTO rare, held_by, keys_of FROM unnest(own.terms_once, counts.held) AS q (term, held)
    WHERE q.held BETWEEN 2 AND most AND NOT q.term = ANY (others);
    IF rare IS NOT NULL THEN
        RETURN QUERY EXECUTE format(
            'SELECT h.holder, r.held FROM holders_%s($1, $2, $3, $4, NULL, NULL, NULL, NULL, NULL, NULL,'
            ' NULL, NULL, NULL, NULL, NULL, NULL) AS h'
            ' JOIN unnest($4, $5) AS r (term, held) ON r.term = h.held', part_of(of_home))
        USING own.space, of_id >> 33, keys_of, rare, held_by;
    END IF;
END $$;

-- What is not shown unless it is asked for; so few that all that is shown can be counted by them.
CREATE INDEX memories_hidden ON memories (home, space)
    WHERE valid_to < 9223372036854775807 OR standing > 1;

-- The newest that pass a filter, and how many do where that is asked.
CREATE FUNCTION newest(
    of_home text, of_space text, most bigint, skipped bigint, counted boolean,
    names_every text[], names_either text[], names_owned text[], names_without text[],
    branches text[], in_session text, after bigint, before bigint, known bigint, holding bigint,
    below integer, trusted integer
) RETURNS TABLE (ids bigint[], total bigint) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = milepost, public, pg_temp SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    every bigint[] := labels_named(of_home, names_every);
    either bigint[] := labels_named(of_home, names_either);
    owned bigint[] := labels_named(of_home, names_owned);
    without bigint[] := labels_named(of_home, names_without);
    latest CONSTANT integer := 1000;
    by_label boolean;
    passing CONSTANT text := ' FROM memories AS m WHERE m.home = $1 AND m.space = $2
        AND passes(m, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ';
BEGIN
    PERFORM only_here(of_home);
    -- Planned for what is asked: any of several indexes may be the best. Who bears one of some labels is
    -- among the latest, or few do: then those are taken by their label and sorted, not all looked at.
    IF either IS NOT NULL AND most + skipped <= latest / 10 THEN
        ids := ARRAY(
            SELECT m.id FROM (
                SELECT n.* FROM memories AS n WHERE n.home = of_home AND n.space = of_space
                ORDER BY n.created DESC, n.id DESC LIMIT latest) AS m
            WHERE passes(m::memories, every, either, owned, without, branches, in_session, after,
                         before, known, holding, below, trusted)
            ORDER BY m.created DESC, m.id DESC LIMIT most OFFSET skipped);
        by_label := cardinality(ids) < most;
    END IF;
    IF by_label IS NOT FALSE THEN
        EXECUTE 'SELECT ARRAY(SELECT m.id' || passing
            || CASE WHEN by_label THEN 'ORDER BY m.created + 0 DESC' ELSE 'ORDER BY m.created DESC' END
            || ', m.id DESC LIMIT $15 OFFSET $16)'
        INTO ids USING of_home, of_space, every, either, owned, without, branches, in_session, after,
            before, known, holding, below, trusted, most, skipped;
    END IF;
    IF counted AND cardinality(ids) > 0 AND cardinality(ids) < most THEN
        total := skipped + cardinality(ids);
    ELSIF counted AND num_nonnulls(every, either, owned, without, branches, in_session, after,
                                   before, known, trusted) = 0 THEN
        SELECT c.memories - (
            SELECT count(*) FROM memories AS m
            WHERE m.home = of_home AND m.space = of_space
              AND (m.valid_to < 9223372036854775807 OR m.standing > 1)
              AND (m.valid_to <= holding OR m.standing >= below))
        INTO total FROM counted_words(of_home, of_space, '{}') AS c;
    ELSIF counted THEN
        EXECUTE 'SELECT count(*)' || passing
        INTO total USING of_home, of_space, every, either, owned, without, branches, in_session,
            after, before, known, holding, below, trusted;
    END IF;
    RETURN NEXT;
END $$;

DO $$
DECLARE one text;
BEGIN
    FOR one IN
        SELECT p.oid::regprocedure::text FROM pg_proc AS p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prosecdef
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', one);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO milepost_member', one);
    END LOOP;
END $$;
