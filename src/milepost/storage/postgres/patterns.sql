-- name: patterns_of_episode
SELECT body, version FROM patterns
WHERE space = :space AND CASE WHEN body LIKE '{%' THEN
    jsonb_exists(body::jsonb -> 'evidence', :episode) OR jsonb_exists(body::jsonb -> 'against', :episode)
    ELSE true END  -- one that is sealed
ORDER BY confidence DESC, id

-- name: set_learned
UPDATE episodes SET learned = true WHERE space = ? AND id = ?
