-- name: data_version
PRAGMA data_version

-- name: version_of
SELECT (SELECT version FROM versions WHERE space = :space),
       (SELECT min(valid_to) FROM memories
        WHERE space = :space AND valid_to > :now AND valid_to < 9223372036854775807)
