-- expands
-- Documents that were read, and which memories each was cut into; a row goes with its memory, and a
-- document with the last of its rows.

CREATE TABLE documents (
    home      text COLLATE "C" NOT NULL DEFAULT here(),
    id        bigint NOT NULL DEFAULT next_id(),
    space     text COLLATE "C" NOT NULL,
    path      text COLLATE "C" NOT NULL,
    name      text   NOT NULL,  -- as it is shown
    session   text   NOT NULL,  -- of its memories
    digest    text COLLATE "C" NOT NULL,  -- of the file; none where it must be read again
    signature text   NOT NULL,  -- of the file as the disk tells it without reading it
    cut       text   NOT NULL,  -- how it was cut
    media     text   NOT NULL,
    title     text   NOT NULL,
    read      bigint NOT NULL,
    ended     bigint NOT NULL,  -- when the file was seen to be gone; 0 while it is there
    PRIMARY KEY (home, id),
    UNIQUE (home, space, path)
);
CREATE INDEX documents_by_digest ON documents (home, space, digest);

CREATE TABLE pieces (
    home      text COLLATE "C" NOT NULL DEFAULT here(),
    document  bigint  NOT NULL,
    memory_id bigint  NOT NULL,
    number    integer NOT NULL,  -- in the order of the document; -1 for what it no longer says
    place     text    NOT NULL,  -- where in it: page, line, heading
    PRIMARY KEY (home, document, memory_id),
    FOREIGN KEY (home, document) REFERENCES documents ON DELETE CASCADE,
    FOREIGN KEY (home, memory_id) REFERENCES memories ON DELETE CASCADE
);
CREATE INDEX pieces_by_memory ON pieces (home, memory_id);

CREATE FUNCTION drop_piecesless() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM documents AS d WHERE d.home = old.home AND d.id = old.document
        AND NOT EXISTS (SELECT 1 FROM pieces AS p WHERE p.home = old.home AND p.document = old.document);
    RETURN NULL;
END $$;
CREATE TRIGGER piece_gone AFTER DELETE ON pieces FOR EACH ROW EXECUTE FUNCTION drop_piecesless();

ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE pieces ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_home ON documents TO milepost_member USING (home = here()) WITH CHECK (home = here());
CREATE POLICY of_home ON pieces TO milepost_member USING (home = here()) WITH CHECK (home = here());
GRANT SELECT, INSERT, UPDATE, DELETE ON documents, pieces TO milepost_member;

CREATE TRIGGER row_touched AFTER INSERT OR UPDATE OR DELETE ON documents FOR EACH ROW
WHEN (current_setting('milepost.watched', true) = 'yes')
EXECUTE FUNCTION touch(documents, id);
CREATE TRIGGER row_touched AFTER INSERT OR UPDATE OR DELETE ON pieces FOR EACH ROW
WHEN (current_setting('milepost.watched', true) = 'yes')
EXECUTE FUNCTION touch(pieces, document, memory_id);
