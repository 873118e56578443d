-- name: append_audit
INSERT INTO audit (space, number, at, operation, entry, digest)
SELECT :space, coalesce(max(number), 0) + 1, :at, :operation, :entry,
       sha256(coalesce(max(digest), '') || :entry)
FROM audit_heads WHERE space = :space
