-- expands
-- Spaces that were moved to another store: whoever still writes to one here is told where it went.
-- Of one that is being moved it is noted which rows are changed meanwhile, so that they can follow.

ALTER TABLE homes ADD COLUMN moved text, ADD COLUMN watched boolean NOT NULL DEFAULT false;

CREATE SEQUENCE touches;
CREATE TABLE touched (
    home  text COLLATE "C" NOT NULL,
    part  text NOT NULL,
    key   text NOT NULL,  -- of the row, as JSON
    touch bigint NOT NULL DEFAULT nextval('touches'),
    PRIMARY KEY (home, part, key)
);
CREATE INDEX touched_in_order ON touched (home, touch);
ALTER TABLE touched ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_home ON touched TO milepost_member USING (home = here());
GRANT SELECT ON touched TO milepost_member;

-- Volatile, for it is asked after a wait, and must see what was committed meanwhile.
CREATE FUNCTION enter_unmoved(home text) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = milepost, pg_temp AS $$
DECLARE
    found record;
BEGIN
    SELECT h.moved, h.watched INTO found FROM homes AS h WHERE h.name = home;
    IF found.moved IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'MPMOV', MESSAGE = home || ' was moved to ' || found.moved;
    END IF;
    PERFORM set_config('milepost.watched', CASE WHEN found.watched THEN 'yes' ELSE '' END, true);
END
$$;

-- Notes the key of a row, before and after; who writes to a home does so alone, and so in order.
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = milepost, pg_temp AS $$
DECLARE
    one jsonb;
BEGIN
    FOREACH one IN ARRAY ARRAY[to_jsonb(old), to_jsonb(new)] LOOP
        CONTINUE WHEN one IS NULL;
        INSERT INTO touched (home, part, key)
        SELECT one ->> 'home', TG_ARGV[0], jsonb_agg(one -> k.name ORDER BY k.place)::text
        FROM unnest(TG_ARGV[1:]) WITH ORDINALITY AS k (name, place)
        ON CONFLICT (home, part, key) DO UPDATE SET touch = excluded.touch;
    END LOOP;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    one record;
BEGIN
    FOR one IN VALUES
        ('deeds', 'id'), ('memories', 'id'), ('vectors', 'memory_id, model'),
        ('anchors', 'memory_id, path, symbol'), ('links', 'memory_id, other_id, kind'),
        ('former', 'deed, memory_id'), ('entities', 'id'), ('names', 'space, key'),
        ('relations', 'id'), ('observations', 'id'), ('mentions', 'memory_id, entity'),
        ('graph_deeds', 'id'), ('kept', 'space, topic, key'), ('answers', 'space, key'),
        ('journal', 'id'), ('episodes', 'row'), ('steps', 'episode, number'),
        ('patterns', 'space, id'), ('shown', 'space, episode, pattern'), ('events', 'row')
    LOOP
        EXECUTE format(
            'CREATE TRIGGER row_touched AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW '
            'WHEN (current_setting(''milepost.watched'', true) = ''yes'') '
            'EXECUTE FUNCTION touch(%I, %s)', one.column1, one.column1, one.column2);
    END LOOP;
END $$;
