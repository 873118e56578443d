-- expands
-- The processes that use this database for longer than a moment, by how many scripts they know: what
-- they still need is taken away when they are gone.

CREATE TABLE servers (
    name   text PRIMARY KEY,
    schema integer NOT NULL,
    seen   timestamptz NOT NULL DEFAULT now()
);
