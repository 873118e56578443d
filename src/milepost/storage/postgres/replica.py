"""A replica that reads may go to, as far as it has what they must see."""

import time
from collections import deque

from milepost.errors import MilepostError
from milepost.storage.postgres.connections import Connection, Connections, Cursor, our_errors

# What is not on disk yet counts too: a commit may be seen before it is.
_WRITTEN = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
_REPLAYED = "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint"
# Nobody asks a replica more often how far it is, nor the primary how far it is ahead.
_ASK_S = 0.02
_AWAY_S = 5.0
# So long one waits for a connection to a replica, where the primary can be asked instead.
WAIT_S = 1.0


class Replica:
    """Tells whether a replica is at most so far behind; one that cannot be asked is not."""

    def __init__(self, primary: Connections, connections: Connections, lag_s: float) -> None:
        self.connections = connections
        self._primary = primary
        self._lag_s = lag_s
        # When the primary was asked, and how far it was then.
        self._marks: deque[tuple[float, int]] = deque()
        self._replayed = 0
        self._asked = float("-inf")
        self._away_until = 0.0

    def reached(self, needed: int) -> int | None:
        """Return the place up to which it must and does have all; None where it is not that far.

        It also has all that is older than the lag that is allowed.
        """
        with self.connections.asking:
            now = time.monotonic()
            if now < self._away_until:
                return None
            try:
                place = self._known(needed)
                required = max(place, self._required(now))
                if self._replayed < required and now - self._asked > _ASK_S:
                    self._asked, self._replayed = now, _ask(self.connections, _REPLAYED)
            except MilepostError:
                self.leave()
                return None
            return place if self._replayed >= required else None

    def written(self) -> int:
        """Return how far the log of the primary reaches, of what is committed at least."""
        return _ask(self._primary, _WRITTEN)

    def required(self, needed: int) -> int:
        """Return how far it must be for what is read from now on."""
        with self.connections.asking:
            return max(needed, self._required(time.monotonic()))

    def leave(self) -> None:
        """Ask it nothing for a while."""
        self._away_until = time.monotonic() + _AWAY_S

    def _known(self, needed: int) -> int:
        """Return a place that is reached: what was told may be more than there is to be shown."""
        if not self._marks or needed > self._marks[-1][1]:
            self._mark()
        return min(needed, self._marks[-1][1])

    def _mark(self) -> None:
        # The moment before it is asked: what comes meanwhile is newer than what it says.
        self._marks.append((time.monotonic(), self.written()))

    def _required(self, now: float) -> int:
        """Return how far the primary was when the lag that is allowed began, or later."""
        if not self._marks or now - self._marks[-1][0] > self._lag_s / 4:
            self._mark()
        while len(self._marks) > 1 and self._marks[0][0] < now - self._lag_s:
            self._marks.popleft()
        return self._marks[0][1]


def replayed_by(connection: Connection) -> Cursor:
    """Ask how far the log of a replica is replayed, in what is sent together."""
    return connection.execute(_REPLAYED.encode())


def place_in(cursor: Cursor) -> int:
    """Return the place in a log that was asked for; the beginning where there is none."""
    row = cursor.fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def _ask(connections: Connections, statement: str) -> int:
    with connections.one() as connection, our_errors(connections.name):
        return place_in(connection.execute(statement.encode()))
