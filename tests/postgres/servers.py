"""What tests of several servers share: servers in processes of their own, and clients at work."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import milepost
from milepost.surfaces.client import MilepostClient


class Served:
    """A `milepost serve` on a database, in a process of its own."""

    def __init__(self, url: str, home: Path, settings: Mapping[str, str]) -> None:
        given = {f"MILEPOST_{name.upper()}": value for name, value in settings.items()}
        self._log = home / f"server-{time.monotonic_ns()}.log"
        with self._log.open("wb") as told:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "milepost", "serve", "--port", "0"],
                stderr=told,
                env={**os.environ, "MILEPOST_SANDBOX": "off", "MILEPOST_URL": url}
                | {"HOME": str(home), "MILEPOST_CACHE_MB": "0", **given},
            )

    def wait(self) -> str:
        """Return its address once it listens."""
        while True:
            told = self._log.read_text()
            if " on http://" in told and told.endswith("\n"):
                return told.rpartition(" on ")[2].split()[0]
            assert self.process.poll() is None, told
            time.sleep(0.02)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def served(count: int, url: str, home: Path, **settings: str) -> Iterator[list[Served]]:
    """Start servers on one database, all at once."""
    with ExitStack() as stack:
        servers = [Served(url, home, settings) for _ in range(count)]
        for server in servers:
            stack.callback(server.kill)
        for server in servers:
            server.wait()
        yield servers


class Worker:
    """Writes what must be written once, asks for it, and knows what was acknowledged."""

    def __init__(self, client: MilepostClient, number: int, spaces: int) -> None:
        self.space = f"team-{number % spaces}"
        self._client, self._number = client.within(self.space), number
        self.stored: list[str] = []
        self.events = 0
        self.unseen: list[str] = []
        self.spent_s: list[float] = []

    def turn(self, turn: int) -> None:
        name = f"worker {self._number} on turn {turn}"
        mine = self._timed(lambda: self._client.store(f"{name} moors at berth {turn * 7}"))
        self.stored.append(mine)
        self._timed(lambda: self._client.record_event("moored", name))
        self.events += 1
        found = self._timed(lambda: self._client.search(name, limit=50, min_score=0.0))
        if mine not in {row.hash for row in found}:
            self.unseen.append(name)

    def learn(self) -> None:
        """Have an attempt that failed first, from which a job learns."""
        client = self._client
        episode = client.create_episode("fix the login", id=f"e{self._number}")
        client.add_step(episode, "bash", "pytest", observation="ImportError: no x", success=False)
        client.add_step(episode, "bash", "pip install x", observation="ok")
        client.add_step(episode, "bash", "pytest", observation="3 passed")
        client.complete_episode(episode, "success")

    def _timed(self, call):  # type: ignore[no-untyped-def]
        began = time.perf_counter()
        result = call()
        self.spent_s.append(time.perf_counter() - began)
        return result


def p95_ms(workers: list[Worker]) -> float:
    """Return how long all but one in twenty calls took at most."""
    spent = sorted(each for worker in workers for each in worker.spent_s)
    return 1_000 * spent[int(len(spent) * 0.95)]


def all_at_once(workers: list[Worker], turns: int) -> Iterator[None]:
    """Let workers work, each in a thread; comes back now and then until all are done."""

    def work(worker: Worker) -> None:
        for turn in range(turns):
            worker.turn(turn)

    with ThreadPoolExecutor(len(workers)) as pool:
        working = [pool.submit(work, worker) for worker in workers]
        while not all(each.done() for each in working):
            yield
            time.sleep(0.01)
        for each in working:
            each.result()


def stored(workers: list[Worker]) -> int:
    """Return how many memories were acknowledged."""
    return sum(len(worker.stored) for worker in workers)


def assert_kept_once(url: str, workers: list[Worker]) -> None:
    """Check in the database that all that was acknowledged is there, and nothing twice."""
    with milepost.connect(url) as memory:
        for space in {worker.space for worker in workers}:
            here, mine = memory.within(space), [w for w in workers if w.space == space]
            names = [name for worker in mine for name in worker.stored]
            assert here.health().count == len(set(names)) == len(names)
            assert all(here.get(name).hash == name for name in names)
            events = here.recall_events(event_type="moored", limit=1_000)
            assert len(events) == sum(worker.events for worker in mine)
