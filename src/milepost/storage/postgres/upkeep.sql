-- name: size
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'

-- name: moved_to
SELECT moved FROM homes WHERE name = here() AND moved IS NOT NULL

-- How often memories or links of the home were written, and when the next of a space ends to hold by itself.
-- name: version_of
SELECT (SELECT version FROM homes WHERE name = here()),
       (SELECT min(valid_to) FROM memories
        WHERE space = :space AND valid_to > :now AND valid_to < 9223372036854775807)

-- The oldest transaction that may still be under way: whatever is below it is settled.
-- name: homes_of_other_rules
SELECT name FROM homes WHERE analysis <> ?

-- name: set_analysis
UPDATE homes SET analysis = ? WHERE name = here()

-- What lies in a bin is found by the space that it came from.
-- name: analysed
SELECT m.id, m.content, m.author, m.created, coalesce(
           (SELECT d.space FROM deeds AS d WHERE m.space = chr(30) || d.id), m.space)
FROM memories AS m WHERE m.id > ? ORDER BY m.id LIMIT ?

-- name: set_terms
UPDATE memories SET terms = :terms, traits = :traits, change = :change, speaker = :speaker,
                    terms_once = :terms_once::int[], keys = :keys::int[], words = :words
WHERE id = :id

-- Spaces that begin with the sign 31 hold the entries of episodes and patterns, those with 30 what
-- was deleted and can be taken back.

-- name: store_counts
SELECT count(*) FILTER (WHERE ascii(space) NOT IN (30, 31)),
       count(*) FILTER (WHERE ascii(space) NOT IN (30, 31) AND valid_to <= ?),
       min(created) FILTER (WHERE ascii(space) NOT IN (30, 31)),
       max(created) FILTER (WHERE ascii(space) NOT IN (30, 31)),
       count(*) FILTER (WHERE ascii(space) = 30)
FROM memories

-- name: store_kinds
SELECT kind, count(*) FROM memories WHERE ascii(space) NOT IN (30, 31) GROUP BY kind ORDER BY 2 DESC, 1

-- name: store_spaces
SELECT space, count(*) FROM memories WHERE ascii(space) NOT IN (30, 31) GROUP BY space ORDER BY 2 DESC, 1

-- name: store_tags
SELECT tag, count(*) FROM memories, unnest(tags) AS tag WHERE ascii(space) NOT IN (30, 31)
GROUP BY tag ORDER BY 2 DESC, 1 LIMIT ?

-- name: store_vectors
SELECT v.model, count(*) FROM vectors AS v JOIN memories AS m ON m.home = v.home AND m.id = v.memory_id
WHERE ascii(m.space) NOT IN (30, 31) GROUP BY v.model ORDER BY 2 DESC, 1

-- name: store_experience
SELECT (SELECT count(*) FROM episodes), (SELECT count(*) FROM patterns)

-- Parts of a table count as the table.
-- name: table_sizes
SELECT coalesce(p.relname, c.relname) AS name, sum(pg_table_size(c.oid))::bigint,
       sum(pg_indexes_size(c.oid))::bigint
FROM pg_class AS c
LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid LEFT JOIN pg_class AS p ON p.oid = i.inhparent
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
GROUP BY 1 ORDER BY sum(pg_total_relation_size(c.oid)) DESC, 1

-- What finds memories: indexes of words and labels, and graphs of vectors.
-- name: search_indexes
SELECT c.relname FROM pg_class AS c JOIN pg_am AS a ON a.oid = c.relam
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'i' AND a.amname IN ('gin', 'hnsw')
ORDER BY 1

-- name: broken_indexes
SELECT c.relname FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid ORDER BY 1

-- Tables of homes that whoever works for one could read past their home.
-- name: open_tables
SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a
    ON a.attrelid = c.oid AND a.attname = 'home' AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  AND (NOT c.relrowsecurity OR NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = c.oid))
  AND (has_table_privilege('milepost_member', c.oid, 'SELECT') OR NOT c.relispartition)
ORDER BY 1

-- name: versions
SELECT current_setting('server_version'), coalesce(
    (SELECT extversion FROM pg_extension WHERE extname = 'vector'), '')

-- name: connections
SELECT count(*), current_setting('max_connections')::int FROM pg_stat_activity
WHERE backend_type = 'client backend'

-- name: replicas
SELECT application_name, state, sync_state, extract(epoch FROM coalesce(replay_lag, '0'))::float8
FROM pg_stat_replication ORDER BY 1

-- name: recovery
SELECT pg_is_in_recovery(), extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8

-- name: jobs_of_all
SELECT count(*), count(*) FILTER (WHERE state = 'dead') FROM jobs

-- name: uncounted_rows
SELECT home, count(*) FROM uncounted GROUP BY home ORDER BY 2 DESC, 1

-- name: home_names
SELECT name FROM homes ORDER BY name

-- name: lock_home
SELECT pg_advisory_xact_lock(hashtextextended(?, 1))

-- name: count_waiting
SELECT count_words(?)

-- name: forget_word_counts
DELETE FROM word_counts WHERE home = ?

-- name: forget_space_counts
DELETE FROM space_counts WHERE home = ?

-- name: forget_uncounted
DELETE FROM uncounted WHERE home = ?

-- name: count_all_words
INSERT INTO word_counts (home, space, term, held)
SELECT home, space, term, count(*) FROM memories, unnest(terms_once) AS term WHERE home = ?
GROUP BY home, space, term

-- name: count_all_spaces
INSERT INTO space_counts (home, space, memories, terms)
SELECT home, space, count(*), sum(length(terms) / 4) FROM memories WHERE home = ? GROUP BY home, space

-- Words whose count is not how many memories hold them.
-- name: miscounted
WITH counted AS (
    SELECT home, space, term, sum(held) AS held FROM (
        SELECT home, space, term, held FROM word_counts
        UNION ALL SELECT home, space, term, sign FROM uncounted, unnest(terms) AS term) AS c
    GROUP BY home, space, term),
real AS (
    SELECT home, space, term, count(*) AS held FROM memories, unnest(terms_once) AS term
    GROUP BY home, space, term)
SELECT count(*) FROM counted AS c FULL JOIN real AS r USING (home, space, term)
WHERE coalesce(c.held, 0) <> coalesce(r.held, 0)

-- name: unfinished_copies
SELECT home FROM kept WHERE topic = ? ORDER BY 1

-- name: count_model_vectors
SELECT count(*) FROM vectors AS v JOIN memories AS m ON m.home = v.home AND m.id = v.memory_id
WHERE v.model = ? AND ascii(m.space) NOT IN (30, 31)
