-- name: leave_branch
UPDATE memories SET branch = NULL WHERE id = ? AND branch IS NOT ?

-- name: of_branch
SELECT m.id FROM memories AS m JOIN projects AS p ON p.memory_id = m.id
WHERE m.branch = :branch AND m.space = :space AND p.project = :project

-- name: branches
SELECT DISTINCT m.branch FROM memories AS m JOIN projects AS p ON p.memory_id = m.id
WHERE m.branch IS NOT NULL AND m.space = :space AND p.project = :project ORDER BY m.branch
