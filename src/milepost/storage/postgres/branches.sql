-- name: of_branch
SELECT id FROM memories
WHERE branch = :branch AND space = :space AND projects @> ARRAY[:project::text]

-- name: branches
SELECT DISTINCT branch FROM memories
WHERE branch IS NOT NULL AND space = :space AND projects @> ARRAY[:project::text] ORDER BY branch

-- name: leave_branch
UPDATE memories SET branch = NULL WHERE id = ? AND branch IS DISTINCT FROM ?
