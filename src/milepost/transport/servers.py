"""Several servers of the same: the one that answered last is asked, else the next one at once."""

from __future__ import annotations

from threading import Lock

from milepost.transport.connections import (
    CONNECT_S_MAX,
    Reply,
    Request,
    Transport,
    TransportError,
)
from milepost.transport.retry import Retry
from milepost.transport.timing import Timing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# So long a connection is waited for where another server can be asked instead.
CONNECT_S = 0.7
# How long a server that was away is not asked unless all are, longer each time.
PAUSES = Retry(attempts=1, wait_s_base=0.25, wait_s_max=30.0, jitter=0.3)
# What says that a server is there and cannot answer now: itself, or a proxy in its place.
AWAY = frozenset({502, 503, 504})
BUSY = 429


class Server:
    """One of them, and until when it is taken to be away."""

    def __init__(self, url: str, transport: Transport) -> None:
        self.url = url
        self.transport = transport
        self.away_until_s = 0.0
        self.failures = 0


class Servers:
    """Asks servers that answer the same, from any thread; what is asked may be sent twice."""

    def __init__(self, servers: Sequence[Server], timing: Timing) -> None:
        self._servers = list(servers)
        self._timing = timing
        self._lock = Lock()

    @property
    def urls(self) -> str:
        """Where they are, in words."""
        return ", ".join(server.url for server in self._servers)

    def away(self) -> list[str]:
        """Return where those are that did not answer when they were asked last."""
        return [server.url for server in self._servers if server.failures]

    def ask(self, request: Request) -> tuple[str, Reply]:
        """Return the first answer that a server gives, and whose it is; else the last refusal.

        Those that are away are asked only when nobody else says anything.
        """
        there, absent = self._in_turn()
        refused: tuple[str, Reply] | None = None
        problem: TransportError | None = None
        for place, server in enumerate((*there, *absent)):
            if refused is not None and place >= len(there):
                break
            is_last = place + 1 == len(self._servers)
            try:
                reply = server.transport.ask(request, CONNECT_S_MAX if is_last else CONNECT_S)
            except TransportError as failure:
                self._failed(server)
                # What somebody must repair is told rather than that another is away.
                if problem is None or not problem.advice:
                    problem = failure.of(server.url)
                continue
            if reply.status not in (*AWAY, BUSY):
                self._answered(server)
                return server.url, reply
            if reply.status in AWAY:
                self._failed(server)
            refused = server.url, reply
        if refused is not None:
            return refused
        assert problem is not None
        raise problem

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for server in self._servers:
            server.transport.close()

    def _in_turn(self) -> tuple[list[Server], list[Server]]:
        """Return those that may be there, the one that answered last first, and those away."""
        now_s = self._timing.monotonic()
        with self._lock:
            there = [server for server in self._servers if server.away_until_s <= now_s]
            absent = [server for server in self._servers if server.away_until_s > now_s]
        return there, sorted(absent, key=lambda server: server.away_until_s)

    def _answered(self, server: Server) -> None:
        if self._servers[0] is server and not server.failures:
            return
        with self._lock:
            server.failures, server.away_until_s = 0, 0.0
            # The others follow in the order in which they were asked.
            at = self._servers.index(server)
            self._servers = [*self._servers[at:], *self._servers[:at]]

    def _failed(self, server: Server) -> None:
        now_s = self._timing.monotonic()
        with self._lock:
            if server.away_until_s <= now_s:  # else another thread has just said so
                server.failures += 1
                pause_s = PAUSES.wait_s(server.failures, self._timing.random())
                server.away_until_s = now_s + pause_s
