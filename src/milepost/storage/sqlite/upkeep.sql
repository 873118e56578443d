-- Spaces that begin with the sign 31 hold the entries of episodes and patterns, those with 30 what
-- was deleted and can be taken back.

-- name: moved_to
SELECT target FROM moved WHERE space = ?

-- name: counts
SELECT count(*), coalesce(sum(valid_to <= ?), 0), min(created), max(created) FROM memories
WHERE unicode(space) NOT IN (30, 31)

-- name: kinds
SELECT kind, count(*) FROM memories WHERE unicode(space) NOT IN (30, 31) GROUP BY kind ORDER BY 2 DESC, 1

-- name: spaces
SELECT space, count(*) FROM memories WHERE unicode(space) NOT IN (30, 31) GROUP BY space ORDER BY 2 DESC, 1

-- name: tags
SELECT tag, count(*) FROM tags JOIN memories ON id = memory_id WHERE unicode(space) NOT IN (30, 31)
GROUP BY tag ORDER BY 2 DESC, 1 LIMIT ?

-- name: vectors
SELECT model, count(*) FROM vectors JOIN memories ON id = memory_id WHERE unicode(space) NOT IN (30, 31)
GROUP BY model ORDER BY 2 DESC, 1

-- name: count_vectors
SELECT count(*) FROM vectors JOIN memories ON id = memory_id
WHERE model = ? AND unicode(space) NOT IN (30, 31)

-- name: experience
SELECT (SELECT count(*) FROM episodes), (SELECT count(*) FROM patterns)

-- name: free
SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size

-- name: held
SELECT count(*) FROM memories WHERE unicode(space) = 30

-- Indexes count to their table.
-- name: table_sizes
SELECT s.tbl_name, sum(d.pgsize) FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name
WHERE d.aggregate GROUP BY s.tbl_name ORDER BY 2 DESC, 1

-- name: dead_jobs
SELECT count(*), count(*) FILTER (WHERE state = 'dead') FROM jobs

-- name: unfinished_copies
SELECT space FROM kept WHERE topic = ? ORDER BY 1
