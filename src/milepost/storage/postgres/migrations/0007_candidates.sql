-- expands
-- The candidates of a search in one round trip, packed: a column of all in one value.
CREATE FUNCTION candidates(
    of_home text, of_space text, mix integer,
    asked integer[], imagined float8[],   -- terms, and how many imagined memories hold each
    word_tags text[],                     -- each of them as a label
    models text[], questions halfvec[],
    most integer, skipped integer, lexical integer, extra integer, project text,
    names_every text[], names_either text[], names_owned text[], names_without text[],
    branches text[], in_session text, after bigint, before bigint, known bigint, holding bigint,
    below integer, trusted integer
) RETURNS TABLE (
    all_memories bigint, all_length bigint, all_held integer[], all_matched bigint,
    all_reached bigint, all_ids bytea, all_created bytea, all_position bytea, all_speaker bytea,
    all_traits bytea, all_standing bytea, all_elsewhere bytea, all_lengths bytea, all_terms bytea,
    all_sessions text, all_tags text, all_vectors bytea[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = milepost, public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    scanned CONSTANT integer := 2000;      -- so many memories are scored without an index
    first CONSTANT integer := 8000;        -- so many that pass a filter are found first
    seeds CONSTANT integer := 24;          -- so many of the best bring those beside them
    burst CONSTANT bigint := 900000000;    -- and so long told in one breath
    imagined_all CONSTANT float8 := 20;
    tag_share CONSTANT float8 := 0.5;
    every bigint[] := labels_named(of_home, names_every);
    either bigint[] := labels_named(of_home, names_either);
    owned bigint[] := labels_named(of_home, names_owned);
    without bigint[] := labels_named(of_home, names_without);
    tags_asked bigint[] := labels_named(of_home, word_tags);
    narrowed boolean := num_nonnulls(every, either, owned, without, branches, in_session, after,
                                     before, known, trusted) > 0;
    number bigint;
    budget integer;
    weights float8[]; question sparsevec; rare integer[]; common integer[];
    few bigint[]; scores float8[]; chosen bigint[] := '{}'; best bigint[]; near bigint[];
    each integer; one integer; nothing bytea; part bytea;
BEGIN
    PERFORM only_here(of_home);
    SELECT h.number INTO number FROM homes AS h WHERE h.name = of_home;
    SELECT c.memories, c.length, c.held INTO all_memories, all_length, all_held
    FROM counted_words(of_home, of_space, asked) AS c;
    SELECT array_agg(ln(1 + (all_memories + imagined_all - h + 0.5) / (h + 0.5)) ORDER BY place)
    INTO weights FROM (
        SELECT q.place, q.held + q.imagined AS h
        FROM unnest(all_held, imagined) WITH ORDINALITY AS q (held, imagined, place)) AS w;
    SELECT ('{' || string_agg(place || ':' || weight, ',' ORDER BY place) || '}/1000000000')::sparsevec
    INTO question FROM (
        SELECT (q.term::bigint & 4294967295) % 1000000000 + 1 AS place, sum(q.weight)::real AS weight
        FROM unnest(asked, all_held, weights) AS q (term, held, weight)
        WHERE q.held > 0 GROUP BY 1) AS w;
    all_matched := 0;
    all_reached := 0;

    -- Few memories, or few that pass: all of them are scored.
    IF narrowed THEN
        -- Planned for what is asked: any of several indexes may be the best.
        EXECUTE 'SELECT array_agg(id), array_agg(score) FROM (
            SELECT m.id, coalesce(-(m.words <#> $1), 0) + CASE WHEN m.labels && $2 THEN $3 * (
                SELECT sum(t.weight) FROM unnest($2, $4) AS t (label, weight)
                WHERE t.label = ANY (m.labels)) ELSE 0 END AS score
            FROM memories AS m WHERE m.home = $5 AND m.space = $6
              AND passes(m, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
            LIMIT $19) AS s'
        INTO few, scores USING question, tags_asked, tag_share, weights, of_home, of_space, every,
            either, owned, without, branches, in_session, after, before, known, holding, below,
            trusted, first + 1;
        few := CASE WHEN coalesce(cardinality(few), 0) <= first THEN coalesce(few, '{}') END;
    ELSIF all_memories <= greatest(scanned, 4 * most) THEN
        SELECT array_agg(s.id), array_agg(s.score) INTO few, scores FROM (
            SELECT m.id, coalesce(-(m.words <#> question), 0)
                + CASE WHEN m.labels && tags_asked THEN tag_share * (
                    SELECT sum(t.weight) FROM unnest(tags_asked, weights) AS t (label, weight)
                    WHERE t.label = ANY (m.labels)) ELSE 0 END AS score
            FROM memories AS m WHERE m.home = of_home AND m.space = of_space
              AND passes(m, every, either, owned, without, branches, in_session, after, before,
                         known, holding, below, trusted)) AS s;
        few := coalesce(few, '{}');
    END IF;

    IF few IS NOT NULL THEN
        SELECT count(*) INTO all_matched FROM unnest(scores) AS s (score) WHERE s.score > 0;
        IF skipped = 0 AND cardinality(few) <= most THEN
            chosen := few;
            all_reached := all_matched;
        ELSE
            best := ARRAY(
                SELECT s.id FROM unnest(few, scores) AS s (id, score) WHERE s.score > 0
                ORDER BY s.score DESC, s.id LIMIT lexical OFFSET skipped);
        END IF;
    ELSE
        budget := CASE WHEN all_memories > 100000 THEN 3000 ELSE 1500 END;
        -- The rarest words find; of the next ones, two together do.
        SELECT coalesce(array_agg(w.term # mix) FILTER (WHERE w.sum <= budget), '{}'),
               coalesce(array_agg(w.term # mix ORDER BY w.sum) FILTER (WHERE w.sum > budget), '{}')
        INTO rare, common FROM (
            SELECT q.term, sum(max(q.held)) OVER (ORDER BY max(q.held), q.term) AS sum
            FROM unnest(asked, all_held) AS q (term, held) WHERE q.held > 0 GROUP BY q.term) AS w;
        EXECUTE format(
            'SELECT best, matched, tags_held FROM by_words_%s($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,'
            ' $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)', part_of(of_home))
        INTO best, all_matched, tags_asked
        USING of_home, of_space, number, question, rare, common, tags_asked, weights, budget, lexical,
            skipped, every, either, owned, without, branches, in_session, after, before, known,
            holding, below, trusted;
    END IF;

    IF best IS NOT NULL THEN
        chosen := best;
        all_reached := skipped + cardinality(best);
        IF skipped = 0 THEN
            each := greatest((most - cardinality(best) + extra)
                             / greatest(cardinality(models), 1), 1);
            near := '{}';
            FOR one IN 1..coalesce(cardinality(models), 0) LOOP
                near := near || nearest(
                    of_home, of_space, models[one], questions[one], each,
                    CASE WHEN narrowed THEN few END, every, either, owned,
                    without, branches, in_session, after, before, known, holding, below, trusted);
            END LOOP;
            -- An answer often stands beside a match: in its session, or told in one breath.
            chosen := chosen || near || ARRAY(
                SELECT n.id FROM unnest(best[:seeds] || near[:seeds]) AS s (id)
                CROSS JOIN LATERAL (
                    SELECT m.session, m.position FROM memories AS m
                    WHERE m.home = of_home AND m.id = s.id OFFSET 0) AS a
                CROSS JOIN LATERAL (
                    SELECT m.id FROM memories AS m
                    WHERE m.home = of_home AND m.space = of_space AND m.session = a.session
                      AND m.position BETWEEN a.position - 2 AND a.position + 2
                      AND passes(m, every, either, owned, without, branches, in_session, after,
                                 before, known, holding, below, trusted) OFFSET 0) AS n
            ) || ARRAY(
                SELECT n.id FROM unnest(best[:seeds] || near[:seeds]) AS s (id)
                CROSS JOIN LATERAL (
                    SELECT m.created FROM memories AS m
                    WHERE m.home = of_home AND m.id = s.id AND m.session IS NULL OFFSET 0) AS a
                CROSS JOIN unnest(ARRAY[-2, -1, 1, 2]) AS o (steps)
                CROSS JOIN LATERAL (
                    SELECT m.id FROM memories AS m
                    WHERE m.home = of_home AND m.id = s.id + o.steps AND m.session IS NULL
                      AND m.space || '' = of_space AND abs(m.created - a.created) <= burst
                      AND passes(m, every, either, owned, without, branches, in_session, after,
                                 before, known, holding, below, trusted) OFFSET 0) AS n);
        END IF;
    END IF;

    SELECT array_agg(c.id ORDER BY c.id) INTO chosen FROM (SELECT DISTINCT unnest(chosen) AS id) AS c;
    SELECT array_send(array_agg(g.id)), array_send(array_agg(g.created)),
           array_send(array_agg(g.position)), array_send(array_agg(g.speaker)),
           array_send(array_agg(g.traits)), array_send(array_agg(g.standing)),
           array_send(array_agg(g.elsewhere)), array_send(array_agg(g.length)),
           string_agg(g.terms, ''), to_json(array_agg(g.session))::text,
           CASE WHEN bool_or(g.tags IS NOT NULL) THEN json_agg(g.tags)::text END
    INTO all_ids, all_created, all_position, all_speaker, all_traits, all_standing, all_elsewhere,
         all_lengths, all_terms, all_sessions, all_tags
    FROM (
        SELECT m.id, m.created, m.position, m.speaker, m.traits, m.session,
               -- What says nothing ranks as what has faded.
               CASE WHEN m.standing = 0 AND m.marks = 'boilerplate' THEN 1 ELSE m.standing END::integer
                   AS standing,
               (m.projects <> '{}' AND NOT m.projects @> ARRAY[project])::integer AS elsewhere,
               least(length(m.terms) / 4, 1000) AS length, substr(m.terms, 1, 4000) AS terms,
               CASE WHEN m.labels && tags_asked THEN m.tags END AS tags
        FROM unnest(chosen) AS c (id) CROSS JOIN LATERAL (
            SELECT * FROM memories AS o WHERE o.home = of_home AND o.id = c.id OFFSET 0) AS m
        ORDER BY m.id) AS g;
    FOR one IN 1..coalesce(cardinality(models), 0) LOOP
        each := vector_dims(questions[one]);
        nothing := decode(repeat('0000', each), 'hex');
        SELECT string_agg(coalesce(substr(halfvec_send(g.vector), 5), nothing), '') INTO part FROM (
            SELECT (SELECT v.vector FROM vectors AS v
                    WHERE v.home = of_home AND v.memory_id = c.id AND v.model = models[one]
                      AND vector_dims(v.vector) = each) AS vector
            FROM unnest(chosen) AS c (id) ORDER BY c.id) AS g;
        all_vectors := all_vectors || part;
    END LOOP;
    RETURN NEXT;
END $$;
