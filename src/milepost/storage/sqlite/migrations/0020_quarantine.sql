-- What wants to instruct a model and was stored before such texts were kept back is looked at again.

INSERT OR IGNORE INTO jobs (space, topic, key, payload, due)
SELECT DISTINCT space, 'door', '', '{"after": 0}', 0 FROM memories
WHERE unicode(space) >= 32;  -- others are bins, and what finds episodes
