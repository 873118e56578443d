-- What memories name that were stored before is learned in the background.

INSERT OR IGNORE INTO jobs (space, topic, key, payload, due)
SELECT DISTINCT space, 'graph', '', '{"after": 0}', 0 FROM memories
WHERE unicode(space) >= 32;  -- others are bins, and what finds episodes
