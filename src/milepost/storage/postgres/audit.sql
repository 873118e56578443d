-- name: append_audit
SELECT append_audit(:space, :at, :operation, :entry)
