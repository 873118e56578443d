-- name: candidates
SELECT * FROM candidates(
    :home, :space, :mix::int, :terms::int[], :imagined::float8[], :word_tags::text[],
    :models::text[], :questions::halfvec[], :limit::int, :offset::int, :lexical::int, :extra::int,
    :project, :every::text[], :either::text[], :owned::text[], :without::text[], :branches::text[],
    :in_session, :after, :before, :known, :holding, :below::int, :trusted::int)

-- name: sharing
SELECT s.likeness, (s.memory).id, (s.memory).space, (s.memory).hash, (s.memory).content,
       (s.memory).kind, to_json((s.memory).tags)::text, (s.memory).metadata, (s.memory).session,
       (s.memory).position, (s.memory).author, to_json((s.memory).projects)::text,
       (s.memory).recorded, (s.memory).created, (s.memory).valid_from, (s.memory).valid_to,
       CASE WHEN (s.memory).superseded_by IS NOT NULL THEN (
           SELECT m.hash FROM memories AS m WHERE m.id = (s.memory).superseded_by) END,
       (s.memory).branch, (s.memory).source, (s.memory).marks, (s.memory).standing
FROM sharing(
    :home, :space, :mix::int, :terms::int[], :model, :near, :limit::int, :every::text[], :either::text[],
    :owned::text[], :without::text[], :branches::text[], :in_session, :after, :before, :known,
    :holding, :below::int, :trusted::int) AS s

-- name: rare_words
SELECT * FROM rare_words(:home, :id, :without::int[], :most::int)

-- name: newest
SELECT * FROM newest(
    :home, :space, :limit, :offset, :counted, :every::text[], :either::text[], :owned::text[],
    :without::text[], :branches::text[], :in_session, :after, :before, :known, :holding,
    :below::int, :trusted::int)

-- name: newest_of
SELECT k.kind, n.ids FROM unnest(:kinds::text[]) AS k (kind), newest(
    :home, :space, :limit, 0, false, array_append(:every::text[], 'kind' || chr(31) || k.kind),
    :either::text[], :owned::text[], :without::text[], :branches::text[], :in_session, :after,
    :before, :known, :holding, :below::int, :trusted::int) AS n

-- name: vectors_of
SELECT model, halfvec_send(vector) FROM vectors WHERE memory_id = ?

-- In the order of ids, which is that of the numbers of homes.
-- name: lacking_model
SELECT l.id, l.content, l.author, l.created FROM homes AS h, LATERAL (
    SELECT m.id, m.content, m.author, m.created FROM memories AS m
    WHERE m.home = h.name AND m.id > :after
      AND ascii(m.space) <> 30  -- what was deleted is sent to nobody
      AND NOT EXISTS (
        SELECT 1 FROM vectors AS v
        WHERE v.home = m.home AND v.memory_id = m.id AND v.model = :model)
    ORDER BY m.id LIMIT :limit) AS l
WHERE h.number >= :after >> 33 ORDER BY h.number, l.id LIMIT :limit
