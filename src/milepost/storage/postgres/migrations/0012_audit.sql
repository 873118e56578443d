-- expands
-- Who did what, which only grows: each entry is bound to the one before it by a digest, and how far
-- it goes is kept beside it. Who works for a home may read it and add to it, and no more.

CREATE TABLE audit (
    home      text COLLATE "C" NOT NULL DEFAULT here(),
    space     text COLLATE "C" NOT NULL,
    number    bigint NOT NULL,
    at        bigint NOT NULL,
    operation text   NOT NULL,
    entry     text   NOT NULL,
    digest    text   NOT NULL,
    PRIMARY KEY (home, space, number)
);
CREATE TABLE audit_heads (
    home   text COLLATE "C" NOT NULL DEFAULT here(),
    space  text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    digest text   NOT NULL,
    PRIMARY KEY (home, space)
);
ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_home ON audit TO milepost_member USING (home = here());
CREATE POLICY of_home ON audit_heads TO milepost_member USING (home = here());
GRANT SELECT ON audit, audit_heads TO milepost_member;

-- Above the policies, so that entries come in by this alone; of the home that is worked for.
CREATE FUNCTION append_audit(in_space text, at bigint, operation text, entry text)
RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = milepost, pg_temp AS $$
DECLARE
    head audit_heads;
BEGIN
    IF here() IS NULL THEN
        RAISE EXCEPTION 'an entry is of a home';
    END IF;
    INSERT INTO audit_heads AS h (space, number, digest)
    VALUES (in_space, 1, encode(sha256(convert_to(entry, 'UTF8')), 'hex'))
    ON CONFLICT ON CONSTRAINT audit_heads_pkey DO UPDATE
    SET number = h.number + 1,
        digest = encode(sha256(convert_to(h.digest || append_audit.entry, 'UTF8')), 'hex')
    RETURNING * INTO head;
    INSERT INTO audit (space, number, at, operation, entry, digest)
    VALUES (in_space, head.number, append_audit.at, append_audit.operation, append_audit.entry,
            head.digest);
END
$$;
CREATE TRIGGER row_touched AFTER INSERT OR UPDATE OR DELETE ON audit FOR EACH ROW
WHEN (current_setting('milepost.watched', true) = 'yes')
EXECUTE FUNCTION touch(audit, space, number);
CREATE TRIGGER row_touched AFTER INSERT OR UPDATE OR DELETE ON audit_heads FOR EACH ROW
WHEN (current_setting('milepost.watched', true) = 'yes')
EXECUTE FUNCTION touch(audit_heads, space);

REVOKE EXECUTE ON FUNCTION append_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_audit TO milepost_member;
