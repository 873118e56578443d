-- The texts of programs, and what they failed with, outlived the memories that they quote.

UPDATE journal SET entry = json_remove(entry, '$.code', '$.error')
WHERE topic = 'executions' AND json_valid(entry);
