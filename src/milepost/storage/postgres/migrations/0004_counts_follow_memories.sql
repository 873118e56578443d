-- expands
-- Whatever brings a memory into a space or takes it out is noted, and counted later by `count_words`.

CREATE FUNCTION note_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO uncounted (home, id, space, sign, length, terms)
        VALUES (old.home, (old.id >> 33 << 33) | (nextval('ids') & 8589934591), old.space, -1,
                length(old.terms) / 4, old.terms_once);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO uncounted (home, id, space, sign, length, terms)
        VALUES (new.home, (new.id >> 33 << 33) | (nextval('ids') & 8589934591), new.space, 1,
                length(new.terms) / 4, new.terms_once);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER memory_counted AFTER INSERT OR DELETE ON memories FOR EACH ROW
    EXECUTE FUNCTION note_words();
CREATE TRIGGER memory_counted_anew AFTER UPDATE OF space, terms ON memories FOR EACH ROW
    WHEN (new.space <> old.space OR new.terms <> old.terms) EXECUTE FUNCTION note_words();

-- Counts what waits of a home; who counts has the home to himself.
CREATE FUNCTION count_words(of_home text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH taken AS (
        DELETE FROM uncounted WHERE home = of_home RETURNING space, sign, length, terms),
    words AS (
        INSERT INTO word_counts AS w (home, space, term, held)
        SELECT of_home, space, term, sum(sign)::int FROM taken, unnest(terms) AS term
        GROUP BY space, term HAVING sum(sign) <> 0 ORDER BY space, term
        ON CONFLICT (home, space, term) DO UPDATE SET held = w.held + excluded.held)
    INSERT INTO space_counts AS s (home, space, memories, terms)
    SELECT of_home, space, sum(sign), sum(sign * length) FROM taken GROUP BY space
    ON CONFLICT (home, space) DO UPDATE
        SET memories = s.memories + excluded.memories, terms = s.terms + excluded.terms;
END $$;
