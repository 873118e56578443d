-- expands
-- What GIN finds, in one part of the memories alone: an index on home would be added to GIN, or taken
-- instead, and without one all parts are looked into, with all that waits there to be sorted in.
DO $generate$
DECLARE part integer;
BEGIN
    FOR part IN 0..7 LOOP
        EXECUTE replace($text$
-- The best by words past an offset, how many there are at least, and the tags if any is held.
CREATE FUNCTION by_words_{part}(
    of_home text, of_space text, number bigint, question sparsevec, rare integer[],
    common integer[], tags_asked bigint[], weights float8[], budget integer, lexical integer,
    skipped integer, every bigint[], either bigint[], owned bigint[], without bigint[],
    branches text[], in_session text, after bigint, before bigint, known bigint, holding bigint,
    below integer, trusted integer,
    OUT best bigint[], OUT matched bigint, OUT tags_held bigint[]
) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    paired CONSTANT integer := 1000;   -- so many of those that hold two common words
    fallen CONSTANT integer := 20000;  -- so many of those that hold common words alone
    endless CONSTANT bigint := 1::bigint << 60;
    tag_share CONSTANT float8 := 0.5;
    tagged bigint[] := '{}'; complete boolean; fallback bigint;
BEGIN
    IF tags_asked IS NOT NULL THEN
        tagged := ARRAY(
            SELECT m.id FROM memories_{part} AS m
            WHERE m.labels && tags_asked AND m.id >> 33 = number AND m.space || '' = of_space
              AND passes(m, every, either, owned, without, branches, in_session, after, before,
                         known, holding, below, trusted)
            LIMIT budget);
    END IF;
    tags_held := CASE WHEN tagged <> '{}' THEN tags_asked END;
    complete := common = '{}' AND cardinality(tagged) < budget;
    WITH found AS MATERIALIZED (
        SELECT m.id, -(m.words <#> question) AS score, m.labels FROM memories_{part} AS m
        WHERE m.keys && rare AND m.id >> 33 = number AND m.space || '' = of_space
          AND passes(m, every, either, owned, without, branches, in_session, after, before,
                     known, holding, below, trusted)
        UNION ALL
        SELECT f.id, -(f.words <#> question), f.labels
        FROM unnest(common[:4]) WITH ORDINALITY AS a (key, place)
        JOIN unnest(common[:4]) WITH ORDINALITY AS b (key, place) ON a.place < b.place,
        LATERAL (
            SELECT m.id, m.words, m.labels FROM memories_{part} AS m
            WHERE m.keys @> ARRAY[a.key, b.key] AND NOT m.keys && rare AND m.id >> 33 = number
              AND m.space || '' = of_space
              AND passes(m, every, either, owned, without, branches, in_session, after, before,
                         known, holding, below, trusted)
            LIMIT paired) AS f
        UNION ALL
        SELECT m.id, -(m.words <#> question), m.labels FROM unnest(tagged) AS t (id)
        JOIN memories_{part} AS m ON m.home = of_home AND m.id = t.id),
    scored AS MATERIALIZED (
        SELECT f.id, max(f.score) + max(CASE WHEN f.labels && tags_held THEN tag_share * (
            SELECT sum(t.weight) FROM unnest(tags_held, weights) AS t (label, weight)
            WHERE t.label = ANY (f.labels)) ELSE 0 END) AS score
        FROM found AS f GROUP BY f.id)
    SELECT (SELECT count(*) FROM scored),
           ARRAY(SELECT s.id FROM scored AS s ORDER BY s.score DESC, s.id
                 LIMIT lexical OFFSET CASE WHEN complete THEN skipped ELSE 0 END)
    INTO matched, best;
    FOREACH fallback IN ARRAY CASE WHEN complete THEN '{}'
        ELSE ARRAY[CASE WHEN matched <= lexical THEN fallen END,
                   CASE WHEN skipped > 0 THEN endless END] END
    LOOP
        CONTINUE WHEN fallback IS NULL;
        -- All that hold a word, after those that the first page shows.
        WITH scored AS MATERIALIZED (
            SELECT m.id, coalesce(-(m.words <#> question), 0)
                + CASE WHEN m.labels && tags_held THEN tag_share * (
                    SELECT sum(t.weight) FROM unnest(tags_held, weights) AS t (label, weight)
                    WHERE t.label = ANY (m.labels)) ELSE 0 END AS score
            FROM memories_{part} AS m
            WHERE (m.keys && (rare || common) OR m.labels && tags_held)
              AND m.id >> 33 = number AND m.space || '' = of_space
              AND passes(m, every, either, owned, without, branches, in_session, after, before,
                         known, holding, below, trusted)
            LIMIT fallback)
        SELECT (SELECT count(*) FROM scored), ARRAY(
            SELECT s.id FROM scored AS s
            LEFT JOIN unnest(best) WITH ORDINALITY AS b (id, place) ON b.id = s.id
            ORDER BY b.place NULLS LAST, s.score DESC, s.id
            LIMIT lexical OFFSET CASE WHEN fallback = endless THEN skipped ELSE 0 END)
        INTO matched, best;
    END LOOP;
END $$;

-- Who holds which of some terms.
CREATE FUNCTION holders_{part}(
    of_space text, number bigint, asked integer[], wanted integer[], every bigint[],
    either bigint[], owned bigint[], without bigint[], branches text[], in_session text,
    after bigint, before bigint, known bigint, holding bigint, below integer, trusted integer
) RETURNS TABLE (holder bigint, held integer) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY SELECT m.id, t.term FROM memories_{part} AS m, unnest(m.terms_once) AS t (term)
        WHERE m.keys && asked AND m.id >> 33 = number AND m.space || '' = of_space
          AND t.term = ANY (wanted)
          AND passes(m, every, either, owned, without, branches, in_session, after, before, known,
                     holding, below, trusted);
END $$;

-- Those who share the rarest terms of a text, by how many of them and by how alike they are.
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
