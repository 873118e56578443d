-- Documents that were read, and which memories each was cut into; a row goes with its memory, and a
-- document with the last of its rows.

CREATE TABLE IF NOT EXISTS documents (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    space     TEXT    NOT NULL,
    path      TEXT    NOT NULL,
    name      TEXT    NOT NULL,  -- as it is shown
    session   TEXT    NOT NULL,  -- of its memories
    digest    TEXT    NOT NULL,  -- of the file; none where it must be read again
    signature TEXT    NOT NULL,  -- of the file as the disk tells it without reading it
    cut       TEXT    NOT NULL,  -- how it was cut
    media     TEXT    NOT NULL,
    title     TEXT    NOT NULL,
    read      INTEGER NOT NULL,
    ended     INTEGER NOT NULL,  -- when the file was seen to be gone; 0 while it is there
    UNIQUE (space, path)
);
CREATE INDEX IF NOT EXISTS documents_by_digest ON documents (space, digest);

CREATE TABLE IF NOT EXISTS pieces (
    document  INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    number    INTEGER NOT NULL,  -- in the order of the document; -1 for what it no longer says
    place     TEXT    NOT NULL,  -- where in it: page, line, heading
    PRIMARY KEY (document, memory_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pieces_by_memory ON pieces (memory_id);

CREATE TRIGGER IF NOT EXISTS piece_gone AFTER DELETE ON pieces BEGIN
    DELETE FROM documents WHERE id = old.document
        AND NOT EXISTS (SELECT 1 FROM pieces WHERE document = old.document);
END;

-- A search tells where its answers stand.
CREATE TRIGGER IF NOT EXISTS document_renamed AFTER UPDATE OF name ON documents
WHEN new.name <> old.name BEGIN
    UPDATE versions SET version = version + 1 WHERE space = new.space;
END;

CREATE TRIGGER IF NOT EXISTS moved_documents_insert BEFORE INSERT ON documents
WHEN EXISTS (SELECT 1 FROM moved WHERE new.space = space)
BEGIN SELECT RAISE(ABORT, 'moved'); END;

CREATE TRIGGER IF NOT EXISTS moved_documents_update BEFORE UPDATE ON documents
WHEN EXISTS (SELECT 1 FROM moved WHERE old.space = space)
BEGIN SELECT RAISE(ABORT, 'moved'); END;
