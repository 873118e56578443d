-- name: answer_to
SELECT call, answer FROM answers WHERE space = ? AND key = ?

-- name: insert_answer
INSERT INTO answers (space, key, call, answer, at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: set_answer
UPDATE answers SET answer = ? WHERE space = ? AND key = ?

-- name: forget_answer
DELETE FROM answers WHERE space = ? AND key = ?

-- name: forget_old_answers
DELETE FROM answers WHERE (space, key) IN (
    SELECT space, key FROM answers WHERE at < ? ORDER BY at LIMIT ?)

-- name: answers_that_tell
SELECT key, answer FROM answers WHERE space = ? AND length(answer) > 40
