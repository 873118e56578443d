-- Who did what, which only grows: each entry is bound to the one before it by a digest, and how far
-- it goes is kept beside it, so that neither a changed nor a missing one goes unnoticed.

CREATE TABLE IF NOT EXISTS audit (
    space     TEXT    NOT NULL,
    number    INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    operation TEXT    NOT NULL,
    entry     TEXT    NOT NULL,
    digest    TEXT    NOT NULL,
    PRIMARY KEY (space, number)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS audit_heads (
    space  TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    digest TEXT    NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS audit_goes_on AFTER INSERT ON audit BEGIN
    INSERT INTO audit_heads (space, number, digest) VALUES (new.space, new.number, new.digest)
    ON CONFLICT (space) DO UPDATE SET number = excluded.number, digest = excluded.digest;
END;

CREATE TRIGGER IF NOT EXISTS audit_stays BEFORE UPDATE ON audit BEGIN
    SELECT raise(ABORT, 'the audit only grows');
END;
CREATE TRIGGER IF NOT EXISTS audit_is_kept BEFORE DELETE ON audit BEGIN
    SELECT raise(ABORT, 'the audit only grows');
END;
