-- What memories want of their reader that were stored before is looked at in the background.

INSERT OR IGNORE INTO jobs (space, topic, key, payload, due)
SELECT DISTINCT space, 'door', '', '{"after": 0}', 0 FROM memories
WHERE unicode(space) >= 32;  -- others are bins, and what finds episodes
