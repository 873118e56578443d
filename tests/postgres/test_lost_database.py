"""A database that goes away and comes back is used again by itself, and has what it kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

import milepost
from milepost import Milepost
from milepost.errors import StoreError, StoreUnavailable
from milepost.storage.postgres import connections
from milepost.testing.postgres import PostgresServer, postgres_server
from support import wait_until

pytestmark = pytest.mark.slow
WRITERS = 8


class Busy:
    """Writers and readers at work until they are told to stop."""

    def __init__(self, memory: Milepost) -> None:
        self._memory = memory
        self.stored: list[str] = []
        self.problems: list[StoreError] = []
        self._stop = threading.Event()

    def work(self, number: int) -> None:
        memory, count = self._memory.within(f"team-{number % 3}"), 0
        while not self._stop.is_set():
            try:
                self.stored.append(memory.store(f"writer {number} berths ship {count}"))
                memory.search(f"ship {count}")
            except StoreError as problem:
                self.problems.append(problem)
            count += 1

    def goes_on(self) -> bool:
        """Whether all have stored something more by now, or will have soon."""
        aim = len(self.stored) + 2 * WRITERS
        wait_until(lambda: len(self.stored) > aim)
        return True

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with ThreadPoolExecutor(WRITERS) as pool:
            working = [pool.submit(self.work, number) for number in range(WRITERS)]
            try:
                assert self.goes_on()
                yield
                assert self.goes_on()
            finally:
                self._stop.set()
            for each in working:
                each.result()

    def assert_kept(self, memory: Milepost) -> None:
        """Check that all that was acknowledged is there, once."""
        kept = [memory.within(f"team-{number}") for number in range(3)]
        held = {name for here in kept for name in _names(here)}
        assert set(self.stored) <= held


def _names(memory: Milepost) -> list[str]:
    found = [row.hash for row in memory.search_iter("ship", min_score=0.0)]
    assert len(set(found)) == len(found)
    return found


def test_a_database_is_killed_and_restarted_under_load() -> None:
    with postgres_server() as server, milepost.connect(server.new_database()) as memory:
        busy = Busy(memory)
        with busy.at_work():
            server.kill()
            time.sleep(0.3)  # for requests that find nobody there
            server.start()

        assert {type(problem) for problem in busy.problems} <= {StoreUnavailable}
        busy.assert_kept(memory)


def test_a_database_that_stays_away_is_told_of_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "POOL_WAIT_S", 1.5)
    monkeypatch.setattr(connections, "RETRY_S", 1.0)
    with postgres_server() as server, milepost.connect(server.new_database()) as memory:
        memory.store("the harbour opens at six")
        server.stop()
        asked: list[Callable[[], object]] = [
            lambda: memory.search("harbour"),
            lambda: memory.store("it closes at nine"),
        ]
        for ask in asked:
            with pytest.raises(StoreUnavailable) as told:
                ask()
            assert server.admin_url.split(":")[2].partition("@")[0] not in str(told.value)
        server.start()

        wait_until(lambda: _found(memory, "harbour"))
        assert memory.store("it closes at nine")


def _found(memory: Milepost, question: str) -> int:
    try:
        return memory.search(question).total
    except StoreUnavailable:
        return 0


def both(primary: PostgresServer, standby: PostgresServer, url: str) -> str:
    """Return the address of a database on whichever of two servers takes writes."""
    one, other = f"127.0.0.1:{primary.port}", f"127.0.0.1:{standby.port}"
    return url.replace(one, f"{one},{other}") + "?target_session_attrs=read-write"


def test_a_synchronous_replica_takes_over_with_all_that_was_acknowledged() -> None:
    with postgres_server() as primary:
        url = primary.new_database()
        standby = primary.standby()
        with milepost.connect(both(primary, standby, url)) as memory:
            busy = Busy(memory)
            with busy.at_work():
                primary.kill()
                standby.promote()

            assert {type(problem) for problem in busy.problems} <= {StoreUnavailable}
            busy.assert_kept(memory)
