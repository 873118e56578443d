-- name: insert_link
INSERT OR IGNORE INTO links (memory_id, other_id, kind, weight, at, run)
SELECT m.id, o.id, :kind, :weight, :at, :run FROM memories AS m, memories AS o
WHERE m.space = :space AND m.hash = :memory AND o.space = :space AND o.hash = :other
