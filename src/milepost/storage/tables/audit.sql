-- name: audit_from
SELECT number, at, operation, entry, digest FROM audit
WHERE space = :space AND number > :after ORDER BY number LIMIT :limit

-- name: latest_audit
SELECT number, at, operation, entry, digest FROM audit
WHERE space = :space AND at >= :since AND (:operation = '' OR operation = :operation)
ORDER BY number DESC LIMIT :limit

-- name: audit_head
SELECT number, digest FROM audit_heads WHERE space = ?
