-- Spread the tables of a store that is up to date (`milepost migrate`) over the nodes, by space.
-- All keys of the store are led by the space, so everything of one space lies on one node, and a
-- search asks that node alone. Run again it passes by what is spread already.
\set ON_ERROR_STOP on

DO $$
DECLARE
    one record;
    first_table regclass;
BEGIN
    FOR one IN
        -- Parents of partitions stand for these; tables that another points to come first.
        SELECT c.oid::regclass AS name,
               (SELECT count(*) FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = c.oid) AS points,
               EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid) AS is_spread
        FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space' AND NOT a.attisdropped
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname = current_schema()
        ORDER BY points, c.relname
    LOOP
        IF NOT one.is_spread THEN
            IF first_table IS NULL THEN
                PERFORM create_distributed_table(one.name, 'space');
            ELSE
                PERFORM create_distributed_table(one.name, 'space', colocate_with => first_table::text);
            END IF;
            RAISE NOTICE 'spread % by space', one.name;
        END IF;
        first_table := coalesce(first_table, one.name);
    END LOOP;

    FOR one IN
        -- What belongs to no space is small, and is copied to every node.
        SELECT c.oid::regclass AS name
        FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND NOT c.relispartition AND n.nspname = current_schema()
          AND NOT EXISTS (SELECT FROM pg_attribute a
                          WHERE a.attrelid = c.oid AND a.attname = 'space' AND NOT a.attisdropped)
          AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
    LOOP
        PERFORM create_reference_table(one.name);
        RAISE NOTICE 'copied % to every node', one.name;
    END LOOP;
END
$$;

SELECT table_name, citus_table_type, distribution_column, shard_count FROM citus_tables ORDER BY 1;
