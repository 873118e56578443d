-- name: document_at
SELECT id, path, name, session, digest, signature, cut, media, title, read, ended,
       (SELECT count(*) FROM pieces AS p JOIN memories AS m ON m.id = p.memory_id
        WHERE p.document = documents.id AND p.number >= 0 AND m.space = documents.space)
FROM documents WHERE space = :space AND path = :path

-- name: documents_below
SELECT id, path, name, session, digest, signature, cut, media, title, read, ended,
       (SELECT count(*) FROM pieces AS p JOIN memories AS m ON m.id = p.memory_id
        WHERE p.document = documents.id AND p.number >= 0 AND m.space = documents.space)
FROM documents WHERE space = :space AND path >= :first AND path < :after ORDER BY path

-- name: documents_like
SELECT id, path, name, session, digest, signature, cut, media, title, read, ended,
       (SELECT count(*) FROM pieces AS p JOIN memories AS m ON m.id = p.memory_id
        WHERE p.document = documents.id AND p.number >= 0 AND m.space = documents.space)
FROM documents WHERE space = :space AND digest = :digest ORDER BY id

-- name: documents
SELECT id, path, name, session, digest, signature, cut, media, title, read, ended,
       (SELECT count(*) FROM pieces AS p JOIN memories AS m ON m.id = p.memory_id
        WHERE p.document = documents.id AND p.number >= 0 AND m.space = documents.space)
FROM documents WHERE space = :space ORDER BY name, id

-- name: documents_of_session
SELECT count(*) FROM documents WHERE space = :space AND session = :session AND path <> :path

-- name: insert_document
INSERT INTO documents (space, path, name, session, digest, signature, cut, media, title, read, ended)
VALUES (:space, :path, :name, :session, :digest, :signature, :cut, :media, :title, :read_us,
        :ended_us)
RETURNING id

-- name: set_document
UPDATE documents
SET path = :path, name = :name, session = :session, digest = :digest, signature = :signature,
    cut = :cut, media = :media, title = :title, read = :read_us, ended = :ended_us
WHERE id = :id

-- name: end_document
UPDATE documents SET ended = ?, digest = '' WHERE id = ?

-- name: pieces_of
SELECT p.memory_id, m.hash, p.number, p.place
FROM pieces AS p JOIN memories AS m ON m.id = p.memory_id AND m.space = :space
WHERE p.document = :document ORDER BY p.number, p.memory_id

-- name: leave_pieces
UPDATE pieces SET number = -1 WHERE document = ?

-- name: set_piece
INSERT INTO pieces (document, memory_id, number, place)
SELECT ?, id, ?, ? FROM memories WHERE space = ? AND hash = ?
ON CONFLICT DO NOTHING

-- name: place_piece
UPDATE pieces SET number = ?, place = ?
WHERE document = ? AND memory_id = (SELECT id FROM memories WHERE space = ? AND hash = ?)

-- name: order_memory
UPDATE memories SET position = ?, change = ? WHERE id = ?

-- name: places_in_session
SELECT m.id, p.number, m.position
FROM pieces AS p JOIN memories AS m ON m.id = p.memory_id
WHERE p.document = :document AND m.space = :space AND m.session = :session

-- What another document says as well holds on.
-- name: said_elsewhere
SELECT DISTINCT p.memory_id FROM pieces AS p JOIN documents AS d ON d.id = p.document
WHERE p.memory_id IN (SELECT value FROM numbers(:ids)) AND p.number >= 0 AND d.ended = 0
  AND p.document <> :document

-- name: places
SELECT p.memory_id, d.name, p.place
FROM pieces AS p JOIN documents AS d ON d.id = p.document
WHERE p.memory_id IN (SELECT value FROM numbers(?)) ORDER BY d.ended, p.number < 0, d.id
