-- expands
-- Searches. Under the policies no GIN index is used, so these functions stand above them, each for
-- the home that its caller works for and no other: `only_here` refuses the rest. Traps that their
-- plans avoid: a generic plan would add an index on home and space to what GIN finds, or take it
-- instead, so that the home is told by the id there and the space is hidden (`space || ''`); and it
-- would not use a graph of one home alone. Nobody knows much of a home that has just begun: what
-- looks for single rows does so apart (`LATERAL … OFFSET 0`), or the whole home would be read.

CREATE FUNCTION only_here(of_home text) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF of_home IS DISTINCT FROM here() THEN
        RAISE insufficient_privilege USING MESSAGE = 'another home is worked for than is asked for';
    END IF;
END $$;

-- Which part of the memories is a home's. No function of SQL alone: that is planned at every call.
CREATE FUNCTION part_of(of_home text) RETURNS text LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN (SELECT split_part(m.tableoid::regclass::text, 'memories_', 2) FROM memories AS m
            WHERE m.home = of_home LIMIT 1);
END $$;

-- Of vectors up to an id, a graph of their own finds the nearest; the rest are looked through.
CREATE TABLE graphs (
    home  text COLLATE "C" NOT NULL DEFAULT here(),
    model text COLLATE "C" NOT NULL,
    size  integer NOT NULL,  -- of a vector
    upto  bigint  NOT NULL,
    name  text    NOT NULL,  -- of the index
    part  text    NOT NULL,  -- of the vectors
    PRIMARY KEY (home, model)
);
ALTER TABLE graphs ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_home ON graphs TO milepost_member USING (home = here());
GRANT SELECT ON graphs TO milepost_member;

-- Labels come as kind || chr(31) || name.
CREATE FUNCTION labels_named(home text, names text[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT array_agg(hashtextextended(home || chr(31) || n, 0)) FROM unnest(names) AS n $$;

-- What a filter asks, but for the space: of all memories, and of a part of them. It is put into the
-- statement that calls it, and what is not asked costs next to nothing.
DO $generate$
DECLARE one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['memories', 'memories_0', 'memories_1', 'memories_2', 'memories_3',
                               'memories_4', 'memories_5', 'memories_6', 'memories_7']
    LOOP
        EXECUTE replace($text$
CREATE FUNCTION passes(
    m {table}, every bigint[], either bigint[], owned bigint[], without bigint[], branches text[],
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
$$
        $text$, '{table}', one);
    END LOOP;
END $generate$;

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
    SELECT array_agg(coalesce(u.held, 0) + coalesce(
        (SELECT w.held FROM word_counts AS w
         WHERE w.home = of_home AND w.space = of_space AND w.term = q.term), 0) ORDER BY q.place)
    INTO held FROM unnest(asked) WITH ORDINALITY AS q (term, place)
    LEFT JOIN (
        SELECT t.term, sum(n.sign)::integer AS held FROM uncounted AS n, unnest(n.terms) AS t (term)
        WHERE n.home = of_home AND n.space = of_space AND n.terms && asked AND t.term = ANY (asked)
        GROUP BY t.term) AS u ON u.term = q.term;
END $$;

-- Who writes counts what waits, now and then: about 64 memories are left to a search. They have the
-- home to themselves.
CREATE FUNCTION count_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_words(new.home);
    RETURN NULL;
END $$;
CREATE TRIGGER counted_now_and_then AFTER INSERT ON uncounted FOR EACH ROW
    WHEN (random() < 0.015625) EXECUTE FUNCTION count_waiting();

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
            CROSS JOIN LATERAL (
                SELECT v.memory_id, v.vector FROM vectors AS v
                WHERE v.home = of_home AND v.memory_id = f.id AND v.model = of_model OFFSET 0) AS v
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
                'SELECT memory_id AS id, vector::halfvec(%1$s) <#> $1 AS d FROM %5$I '
                'WHERE home = %2$L AND model = %3$L AND vector_dims(vector) = %1$s '
                'AND memory_id <= %4$s '
                'ORDER BY vector::halfvec(%1$s) <#> $1 LIMIT $2) AS n',
                graph.size, of_home, of_model, graph.upto, graph.part)
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
            SELECT n.id FROM nearer AS n CROSS JOIN LATERAL (
                SELECT 1 FROM memories AS m
                WHERE m.home = of_home AND m.id = n.id AND m.space || '' = of_space
                  AND passes(m, every, either, owned, without, branches, in_session, after, before,
                             known, holding, below, trusted) OFFSET 0) AS m
            WHERE n.d <> 0
            ORDER BY n.d, n.id LIMIT wanted) INTO seen, best;
        EXIT WHEN cardinality(best) >= wanted OR seen < looked;
        looked := looked * 4;
    END LOOP;
    RETURN best;
END $$;
