-- expands
-- The wall behind the code's own filters: whoever works for a home does so as a role that sees and
-- writes the rows of that home alone. The owner of the tables, who migrates them and takes jobs of
-- all homes, stands above it.

DO $$
DECLARE one text;
BEGIN
    FOR one IN
        SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a
            ON a.attrelid = c.oid AND a.attname = 'home' AND NOT a.attisdropped
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
        EXECUTE format('CREATE POLICY of_home ON %I TO milepost_member USING (home = here()) '
                       'WITH CHECK (home = here())', one);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO milepost_member', one);
    END LOOP;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO milepost_member', current_schema());
END $$;
ALTER TABLE homes ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_home ON homes TO milepost_member USING (name = here());
GRANT SELECT, UPDATE ON homes TO milepost_member;
GRANT SELECT ON meta, borne, visible TO milepost_member;
GRANT USAGE ON SEQUENCE ids TO milepost_member;
