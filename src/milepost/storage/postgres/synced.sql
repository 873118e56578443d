-- name: put_synced
INSERT INTO synced (space, key, number, alive, ended, seen, state)
VALUES (:space, :key, :number, :alive::boolean, :ended, :seen, :state)
ON CONFLICT (home, space, key) DO UPDATE
SET number = excluded.number, alive = excluded.alive, ended = excluded.ended, seen = excluded.seen,
    state = excluded.state
