-- expands
-- Searches. Under the policies no GIN index is used, so these functions stand above them, each for
-- the home that its caller works for and no other: `only_here` refuses the rest. Traps that their
-- plans avoid: a generic plan would add an index on the home to what GIN finds, so that the home is
-- told by the id there (`id >> 33`); it would not use a graph of one home alone.

CREATE FUNCTION only_here(of_home text) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF of_home IS DISTINCT FROM here() THEN
        RAISE insufficient_privilege USING MESSAGE = 'another home is worked for than is asked for';
    END IF;
END $$;

-- Of vectors up to an id, a graph of their own finds the nearest; the rest are looked through.
CREATE TABLE graphs (
    home  text COLLATE "C" NOT NULL DEFAULT here(),
    model text COLLATE "C" NOT NULL,
    size  integer NOT NULL,  -- of a vector
    upto  bigint  NOT NULL,
    name  text    NOT NULL,  -- of the index
    PRIMARY KEY (home, model)
);
ALTER TABLE graphs ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_home ON graphs TO milepost_member USING (home = here());
GRANT SELECT ON graphs TO milepost_member;

-- Labels come as kind || chr(31) || name.
CREATE FUNCTION labels_named(home text, names text[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT array_agg(hashtextextended(home || chr(31) || n, 0)) FROM unnest(names) AS n $$;

-- What a filter asks, but for the space. It is put into the statement that calls it, and what is
-- not asked costs next to nothing.
CREATE FUNCTION passes(
    m memories, every bigint[], either bigint[], owned bigint[], without bigint[], branches text[],
    in_session text, after bigint, before bigint, known bigint, holding bigint, below integer,
    trusted integer
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (holding IS NULL OR m.valid_to > holding)
       AND (below IS NULL OR m.standing < below)
       AND (every IS NULL OR m.labels @> every)
       AND (either IS NULL OR m.labels && either)
       AND (owned IS NULL OR m.labels && owned)
       AND (without IS NULL OR NOT m.labels && without)
       AND (branches IS NULL OR m.branch IS NULL OR m.branch = ANY (branches))
       AND (in_session IS NULL OR m.session = in_session)
       AND (after IS NULL OR m.created >= after)
       AND (before IS NULL OR m.created < before)
       AND (known IS NULL OR m.valid_from <= known)
       AND (trusted IS NULL OR m.trust >= trusted)
$$;

-- How many memories a space has, how many terms they have, and how many hold each of some terms:
-- as counted, and what waits to be.
CREATE FUNCTION counted_words(
    of_home text, of_space text, terms integer[],
    OUT memories bigint, OUT length bigint, OUT held integer[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = milepost, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET jit = off AS $$
DECLARE asked integer[] := terms;
BEGIN
    PERFORM only_here(of_home);
    SELECT coalesce(sum(c.memories), 0), coalesce(sum(c.terms), 0) INTO memories, length FROM (
        SELECT s.memories, s.terms FROM space_counts AS s WHERE s.home = of_home AND s.space = of_space
        UNION ALL SELECT u.sign, u.sign * u.length FROM uncounted AS u
        WHERE u.home = of_home AND u.space = of_space) AS c;
    SELECT array_agg(coalesce(w.held, 0) + coalesce(u.held, 0) ORDER BY q.place) INTO held
    FROM unnest(asked) WITH ORDINALITY AS q (term, place)
    LEFT JOIN word_counts AS w ON w.home = of_home AND w.space = of_space AND w.term = q.term
    LEFT JOIN (
        SELECT t.term, sum(n.sign)::integer AS held FROM uncounted AS n, unnest(n.terms) AS t (term)
        WHERE n.home = of_home AND n.space = of_space AND n.terms && asked AND t.term = ANY (asked)
        GROUP BY t.term) AS u ON u.term = q.term;
END $$;

-- The nearest of a home by one model that pass a filter, nearest first.
CREATE FUNCTION nearest(
    of_home text, of_space text, of_model text, question halfvec, wanted integer, few bigint[],
    every bigint[], either bigint[], owned bigint[], without bigint[], branches text[],
    in_session text, after bigint, before bigint, known bigint, holding bigint, below integer,
    trusted integer
) RETURNS bigint[] LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = milepost, public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    looked integer := wanted + wanted / 4 + 8;
    graph graphs;
    ids bigint[]; distances float8[]; best bigint[]; seen integer;
BEGIN
    PERFORM only_here(of_home);
    IF few IS NOT NULL THEN
        RETURN ARRAY(
            SELECT v.memory_id FROM unnest(few) AS f (id)
            JOIN vectors AS v ON v.home = of_home AND v.memory_id = f.id AND v.model = of_model
            WHERE vector_dims(v.vector) = vector_dims(question) AND v.vector <#> question <> 0
            ORDER BY v.vector <#> question, v.memory_id LIMIT wanted);
    END IF;
    SELECT * INTO graph FROM graphs AS g
    WHERE g.home = of_home AND g.model = of_model AND g.size = vector_dims(question);
    LOOP
        ids := '{}';
        distances := '{}';
        IF graph.upto IS NOT NULL THEN
            PERFORM set_config('hnsw.iterative_scan', 'strict_order', true),
                    set_config('hnsw.ef_search', least(looked, 1000)::text, true);
            EXECUTE format(
                'SELECT array_agg(id), array_agg(d) FROM ('
                'SELECT memory_id AS id, vector::halfvec(%1$s) <#> $1 AS d FROM vectors '
                'WHERE home = %2$L AND model = %3$L AND memory_id <= %4$s '
                'ORDER BY vector::halfvec(%1$s) <#> $1 LIMIT $2) AS n',
                graph.size, of_home, of_model, graph.upto)
            INTO ids, distances USING question, looked;
        END IF;
        -- What does not pass is left out afterwards: looked for before, all would be read.
        WITH near AS MATERIALIZED (
            SELECT t.id, t.d FROM unnest(ids, distances) AS t (id, d)
            UNION ALL (
                SELECT v.memory_id, v.vector <#> question FROM vectors AS v
                WHERE v.home = of_home AND v.memory_id > coalesce(graph.upto, 0)
                  AND v.model = of_model AND vector_dims(v.vector) = vector_dims(question)
                ORDER BY 2, 1 LIMIT looked)),
        nearer AS MATERIALIZED (SELECT n.id, n.d FROM near AS n ORDER BY n.d, n.id LIMIT looked)
        SELECT (SELECT count(*) FROM nearer), ARRAY(
            SELECT n.id FROM nearer AS n JOIN memories AS m ON m.home = of_home AND m.id = n.id
            WHERE m.space = of_space AND n.d <> 0 AND passes(m, every, either, owned, without, branches, in_session, after, before, known, holding, below,
                         trusted)
            ORDER BY n.d, n.id LIMIT wanted) INTO seen, best;
        EXIT WHEN cardinality(best) >= wanted OR seen < looked;
        looked := looked * 4;
    END LOOP;
    RETURN best;
END $$;

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
    paired CONSTANT integer := 1000;       -- so many of those that hold two common words
    fallen CONSTANT integer := 20000;      -- so many of those that hold common words alone
    endless CONSTANT bigint := 1::bigint << 60;
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
    weights float8[]; question sparsevec; rare integer[]; common integer[]; tagged bigint[] := '{}';
    few bigint[]; scores float8[]; chosen bigint[] := '{}'; best bigint[]; near bigint[];
    complete boolean; fallback bigint; each integer; one integer; part bytea;
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
        IF tags_asked IS NOT NULL THEN
            tagged := ARRAY(
                SELECT m.id FROM memories AS m
                WHERE m.labels && tags_asked AND m.id >> 33 = number AND m.space = of_space
                  AND passes(m, every, either, owned, without, branches, in_session, after, before,
                             known, holding, below, trusted)
                LIMIT budget);
            IF tagged = '{}' THEN
                tags_asked := NULL;
            END IF;
        END IF;
        complete := common = '{}' AND cardinality(tagged) < budget;
        WITH found AS MATERIALIZED (
            SELECT m.id, -(m.words <#> question) AS score, m.labels FROM memories AS m
            WHERE m.keys && rare AND m.id >> 33 = number AND m.space = of_space
              AND passes(m, every, either, owned, without, branches, in_session, after, before,
                         known, holding, below, trusted)
            UNION ALL
            SELECT f.id, -(f.words <#> question), f.labels
            FROM unnest(common[:4]) WITH ORDINALITY AS a (key, place)
            JOIN unnest(common[:4]) WITH ORDINALITY AS b (key, place) ON a.place < b.place,
            LATERAL (
                SELECT m.id, m.words, m.labels FROM memories AS m
                WHERE m.keys @> ARRAY[a.key, b.key] AND NOT m.keys && rare AND m.id >> 33 = number
                  AND m.space = of_space
                  AND passes(m, every, either, owned, without, branches, in_session, after, before,
                             known, holding, below, trusted)
                LIMIT paired) AS f
            UNION ALL
            SELECT m.id, -(m.words <#> question), m.labels FROM unnest(tagged) AS t (id)
            JOIN memories AS m ON m.home = of_home AND m.id = t.id),
        scored AS MATERIALIZED (
            SELECT f.id, max(f.score) + max(CASE WHEN f.labels && tags_asked THEN tag_share * (
                SELECT sum(t.weight) FROM unnest(tags_asked, weights) AS t (label, weight)
                WHERE t.label = ANY (f.labels)) ELSE 0 END) AS score
            FROM found AS f GROUP BY f.id)
        SELECT (SELECT count(*) FROM scored),
               ARRAY(SELECT s.id FROM scored AS s ORDER BY s.score DESC, s.id
                     LIMIT lexical OFFSET CASE WHEN complete THEN skipped ELSE 0 END)
        INTO all_matched, best;
        FOREACH fallback IN ARRAY CASE WHEN complete THEN '{}'
            ELSE ARRAY[CASE WHEN cardinality(best) < lexical THEN fallen END,
                       CASE WHEN skipped > 0 THEN endless END] END
        LOOP
            CONTINUE WHEN fallback IS NULL;
            -- All that hold a word, after those that the first page shows.
            WITH scored AS MATERIALIZED (
                SELECT m.id, coalesce(-(m.words <#> question), 0)
                    + CASE WHEN m.labels && tags_asked THEN tag_share * (
                        SELECT sum(t.weight) FROM unnest(tags_asked, weights) AS t (label, weight)
                        WHERE t.label = ANY (m.labels)) ELSE 0 END AS score
                FROM memories AS m
                WHERE (m.keys && (rare || common) OR m.labels && tags_asked)
                  AND m.id >> 33 = number AND m.space = of_space
                  AND passes(m, every, either, owned, without, branches, in_session, after, before,
                             known, holding, below, trusted)
                LIMIT fallback)
            SELECT (SELECT count(*) FROM scored), ARRAY(
                SELECT s.id FROM scored AS s
                LEFT JOIN unnest(best) WITH ORDINALITY AS b (id, place) ON b.id = s.id
                ORDER BY b.place NULLS LAST, s.score DESC, s.id
                LIMIT lexical OFFSET CASE WHEN fallback = endless THEN skipped ELSE 0 END)
            INTO all_matched, best;
        END LOOP;
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
                JOIN memories AS a ON a.home = of_home AND a.id = s.id
                JOIN memories AS n ON n.home = of_home AND n.space = of_space
                    AND n.session = a.session AND n.position BETWEEN a.position - 2 AND a.position + 2
                WHERE passes(n, every, either, owned, without, branches, in_session, after, before,
                             known, holding, below, trusted)
            ) || ARRAY(
                SELECT n.id FROM unnest(best[:seeds] || near[:seeds]) AS s (id)
                JOIN memories AS a ON a.home = of_home AND a.id = s.id
                CROSS JOIN unnest(ARRAY[-2, -1, 1, 2]) AS o (steps)
                JOIN memories AS n ON n.home = of_home AND n.id = a.id + o.steps
                WHERE a.session IS NULL AND n.session IS NULL AND n.space = of_space
                  AND abs(n.created - a.created) <= burst
                  AND passes(n, every, either, owned, without, branches, in_session, after, before,
                             known, holding, below, trusted));
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
        FROM unnest(chosen) AS c (id) JOIN memories AS m ON m.home = of_home AND m.id = c.id
        ORDER BY m.id) AS g;
    FOR one IN 1..coalesce(cardinality(models), 0) LOOP
        SELECT string_agg(coalesce(substr(halfvec_send(g.vector), 5), g.nothing), '') INTO part FROM (
            SELECT v.vector, decode(repeat('0000', vector_dims(questions[one])), 'hex') AS nothing
            FROM unnest(chosen) AS c (id)
            LEFT JOIN vectors AS v ON v.home = of_home AND v.memory_id = c.id
                AND v.model = models[one] AND vector_dims(v.vector) = vector_dims(questions[one])
            ORDER BY c.id) AS g;
        all_vectors := all_vectors || part;
    END LOOP;
    RETURN NEXT;
END $$;

-- The memories that share most of some terms, but for common ones; of these the newest.
CREATE FUNCTION sharing(
    of_home text, of_space text, mix integer, asked integer[], of_model text, near halfvec, most integer,
    names_every text[], names_either text[], names_owned text[], names_without text[],
    branches text[], in_session text, after bigint, before bigint, known bigint, holding bigint,
    below integer, trusted integer
) RETURNS TABLE (memory bigint, likeness float8) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = milepost, public, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    telling CONSTANT integer := 16;       -- the rarest terms are enough
    common_least CONSTANT integer := 200; -- what more hold than this, and this share, tells nothing
    common_share CONSTANT float8 := 0.01;
    every bigint[] := labels_named(of_home, names_every);
    either bigint[] := labels_named(of_home, names_either);
    owned bigint[] := labels_named(of_home, names_owned);
    without bigint[] := labels_named(of_home, names_without);
    number bigint; counts record; rare integer[];
BEGIN
    PERFORM only_here(of_home);
    SELECT h.number INTO number FROM homes AS h WHERE h.name = of_home;
    SELECT * INTO counts FROM counted_words(of_home, of_space, asked);
    SELECT array_agg(r.term) INTO rare FROM (
        SELECT q.term FROM unnest(asked, counts.held) AS q (term, held)
        WHERE q.held BETWEEN 1 AND greatest(common_least, common_share * counts.memories)
        ORDER BY q.held, q.term LIMIT telling) AS r;
    RETURN QUERY SELECT s.id, s.alike FROM (
        SELECT m.id, cardinality(ARRAY(SELECT unnest(m.terms_once) INTERSECT SELECT unnest(rare))) AS shared,
               coalesce(-(v.vector <#> near), 0)::float8 AS alike
        FROM memories AS m LEFT JOIN vectors AS v
            ON v.home = of_home AND v.memory_id = m.id AND v.model = of_model
        WHERE m.keys && ARRAY(SELECT r # mix FROM unnest(rare) AS r)
          AND m.id >> 33 = number AND m.space = of_space
          AND passes(m, every, either, owned, without, branches, in_session, after, before, known,
                     holding, below, trusted)) AS s
    ORDER BY s.shared / least(cardinality(asked), telling)::float8 + s.alike DESC, s.id DESC LIMIT most;
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
    RETURN QUERY SELECT m.id, r.held FROM memories AS m, unnest(m.terms_once) AS t (term)
        JOIN unnest(rare, held_by) AS r (term, held) ON r.term = t.term
        WHERE m.keys && keys_of AND m.id >> 33 = of_id >> 33 AND m.space = own.space;
END $$;

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
    passing CONSTANT text := ' FROM memories AS m WHERE m.home = $1 AND m.space = $2
        AND passes(m, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ';
BEGIN
    PERFORM only_here(of_home);
    -- Planned for what is asked: any of several indexes may be the best.
    EXECUTE 'SELECT ARRAY(SELECT m.id' || passing
        || 'ORDER BY m.created DESC, m.id DESC LIMIT $15 OFFSET $16)'
    INTO ids USING of_home, of_space, every, either, owned, without, branches, in_session, after,
        before, known, holding, below, trusted, most, skipped;
    IF counted AND cardinality(ids) > 0 AND cardinality(ids) < most THEN
        total := skipped + cardinality(ids);
    ELSIF counted THEN
        EXECUTE 'SELECT count(*)' || passing
        INTO total USING of_home, of_space, every, either, owned, without, branches, in_session,
            after, before, known, holding, below, trusted;
    END IF;
    RETURN NEXT;
END $$;

-- Who writes counts what waits when it is much; they have the home to themselves.
CREATE FUNCTION count_many() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE waiting CONSTANT integer := 64;
BEGIN
    IF (SELECT count(*) FROM (
            SELECT 1 FROM uncounted WHERE home = here() LIMIT waiting) AS u) = waiting THEN
        PERFORM count_words(here());
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER memories_counted AFTER INSERT OR DELETE ON memories
    FOR EACH STATEMENT EXECUTE FUNCTION count_many();
CREATE TRIGGER memories_counted_anew AFTER UPDATE OF space, terms ON memories
    FOR EACH STATEMENT EXECUTE FUNCTION count_many();

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
