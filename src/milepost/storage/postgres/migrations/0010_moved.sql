-- expands
-- Spaces that were moved to another store: whoever still writes to one here is told where it went.

ALTER TABLE homes ADD COLUMN moved text;

-- Volatile, for it is asked after a wait, and must see what was committed meanwhile.
CREATE FUNCTION refuse_moved(home text) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = milepost, pg_temp AS $$
DECLARE
    place text;
BEGIN
    SELECT moved INTO place FROM homes WHERE name = home;
    IF place IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'MPMOV', MESSAGE = home || ' was moved to ' || place;
    END IF;
END
$$;
