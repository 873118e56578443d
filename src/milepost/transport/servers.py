"""Several servers of the same: the one that answered last is asked, and the next when it is slow.

The first answer counts, whoever was asked first. A server that is slow is believed all the same
where nobody else is quicker.
"""

from __future__ import annotations

from threading import Condition, Lock, Thread

from milepost.transport.connections import Reply, Request, Transport, TransportError
from milepost.transport.retry import Retry
from milepost.transport.timing import Timing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# So long an answer is waited for before the next server is asked as well.
PATIENCE_S = 0.7
# And so long at most while servers are slow: else every call would be work for all of them.
PATIENCE_S_MAX = 10.0
# How long a server that was away is not asked unless all are, longer each time.
PAUSES = Retry(attempts=1, wait_s_base=0.25, wait_s_max=30.0, jitter=0.3)
# What says that a server is there and cannot answer now: itself, or a proxy in its place.
AWAY = frozenset({502, 503, 504})
BUSY = 429
# What is said of a call that another server has begun; the answer is that one's.
_CONFLICT = 409


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
        self._patience_s = PATIENCE_S

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
        race, began_s = _Race(self, request), self._timing.monotonic()
        for place, server in enumerate((*there, *absent)):
            if race.refused is not None and place >= len(there):
                break
            if len(self._servers) == 1:
                race.run(server)
            else:
                race.start(server)
                race.wait(self._patience_s)
            if race.answer is not None:
                break
        race.wait()
        self._learn(race, self._timing.monotonic() - began_s)
        return race.result()

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

    def _learn(self, race: _Race, took_s: float) -> None:
        """Ask those first next time that were quicker, and be patient where nobody was."""
        if race.answer is None:
            return
        winner = race.answer[0]
        for server in race.asked_before(winner):
            self.failed(server)
        self._first(winner)
        if took_s < PATIENCE_S:
            self._patience_s = PATIENCE_S
        elif race.asked[0] is winner:
            self._patience_s = min(2 * self._patience_s, PATIENCE_S_MAX)

    def _first(self, server: Server) -> None:
        self.is_there(server)
        if self._servers[0] is not server:
            with self._lock:
                # The others follow in the order in which they were asked.
                at = self._servers.index(server)
                self._servers = [*self._servers[at:], *self._servers[:at]]

    def is_there(self, server: Server) -> None:
        """Note that a server answered, however late."""
        if server.failures:
            with self._lock:
                server.failures, server.away_until_s = 0, 0.0

    def failed(self, server: Server) -> None:
        """Note that a server did not answer, or not in time."""
        now_s = self._timing.monotonic()
        with self._lock:
            if server.away_until_s <= now_s:  # else another thread has just said so
                server.failures += 1
                pause_s = PAUSES.wait_s(server.failures, self._timing.random())
                server.away_until_s = now_s + pause_s


class _Race:
    """One request to several servers, asked one after the other and answered by any."""

    def __init__(self, servers: Servers, request: Request) -> None:
        self._servers, self._request = servers, request
        self._changed = Condition()
        self._waiting: list[Server] = []
        self._problem: BaseException | None = None
        self.asked: list[Server] = []
        self.answer: tuple[Server, Reply] | None = None
        self.refused: tuple[Server, Reply] | None = None

    def start(self, server: Server) -> None:
        """Ask one more, in a thread that nobody waits for at the end of the process."""
        self._begin(server)
        Thread(target=self._run, args=(server,), daemon=True, name="milepost-ask").start()

    def run(self, server: Server) -> None:
        """Ask the only one."""
        self._begin(server)
        self._run(server)

    def wait(self, seconds: float | None = None) -> None:
        """Wait until one has answered, or none is waited for any more."""
        with self._changed:
            self._changed.wait_for(lambda: self.answer or not self._waiting, seconds)

    def asked_before(self, winner: Server) -> list[Server]:
        """Return those that had more time than the winner and have said nothing."""
        with self._changed:
            earlier = self.asked[: self.asked.index(winner)]
            return [server for server in earlier if server in self._waiting]

    def result(self) -> tuple[str, Reply]:
        """Return what came of it when nobody is waited for."""
        outcome = self.answer or self.refused
        if outcome is not None:
            return outcome[0].url, outcome[1]
        assert self._problem is not None
        raise self._problem

    def _begin(self, server: Server) -> None:
        self.asked.append(server)
        self._waiting.append(server)

    def _run(self, server: Server) -> None:
        reply: Reply | None = None
        problem: BaseException | None = None
        try:
            reply = server.transport.ask(self._request)
        except TransportError as failure:
            problem = failure.of(server.url)
        except BaseException as failure:  # noqa: BLE001 -- raised by who waits for it
            problem = failure
        with self._changed:
            self._waiting.remove(server)
            self._note(server, reply, problem)
            self._changed.notify_all()

    def _note(self, server: Server, reply: Reply | None, problem: BaseException | None) -> None:
        if reply is None:
            # What somebody must repair is told rather than that another is away.
            if not getattr(self._problem, "advice", ""):
                self._problem = problem
            if isinstance(problem, TransportError):
                self._servers.failed(server)
        elif reply.status in AWAY:
            self.refused = server, reply
            self._servers.failed(server)
        elif reply.status == BUSY or (reply.status == _CONFLICT and self._waiting):
            self.refused = server, reply
        elif self.answer is None:
            self.answer = server, reply
        else:
            self._servers.is_there(server)
