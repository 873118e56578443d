"""Reads from a replica are never older than is allowed, and show what the reader wrote."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL

import milepost
from milepost import Milepost, MilepostClient
from milepost.opening import settings_for
from milepost.own_writes import EVERYTHING, needing
from milepost.storage.postgres.connections import Connections
from milepost.surfaces.http import running
from milepost.testing.postgres import PostgresServer, postgres_server
from support import wait_until

pytestmark = pytest.mark.slow
READ = 200


@pytest.fixture
def primary() -> Iterator[PostgresServer]:
    # Nothing gets to disk by itself: whoever does not wait for that is ahead of what is sent on.
    with postgres_server(wal_writer_delay="10s") as server:
        yield server


def opened(url: str, *standbys: PostgresServer, lag_ms: int, connections: int = 10) -> Milepost:
    """Open a memory that reads from replicas behind one address."""
    port = url.rpartition("/")[0].rpartition(":")[2]
    host = f"127.0.0.1:{port}"
    hosts = ",".join(f"127.0.0.1:{standby.port}" for standby in standbys)
    replica = url.replace(host, hosts) + "?load_balance_hosts=random"
    settings = settings_for(url)._replace(
        replica=replica, replica_lag=lag_ms, database_connections=connections
    )
    return milepost.app.open_memory(settings)


def connections_of(memory: Milepost) -> Connections:
    """Return the connections to the replicas."""
    connections: Connections = memory._context.store.database._replica.connections  # type: ignore[attr-defined]
    return connections


def replay(standby: PostgresServer, what: str) -> None:
    standby.command(SQL(f"SELECT pg_wal_replay_{what}()"))  # type: ignore[arg-type]


def served(standby: PostgresServer) -> int:
    """Return how many searches a replica is known to have answered."""
    asking = "SELECT calls FROM pg_stat_user_functions WHERE funcname = 'newest'"
    with psycopg.connect(standby.admin_url, autocommit=True) as connection:
        databases = connection.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE 'milepost%'"
        ).fetchall()
    total = 0
    for (name,) in databases:
        url = standby.admin_url.rpartition("/")[0] + f"/{name}"
        with psycopg.connect(url, autocommit=True) as connection:
            total += sum(row[0] for row in connection.execute(asking).fetchall())
    return total


class Writer:
    """Stores one memory after the other, and knows from when on each was there."""

    def __init__(self, memory: Milepost) -> None:
        self._memory = memory
        self.moments: list[float] = []
        self._stop = threading.Event()

    def _work(self) -> None:
        while not self._stop.is_set():
            self._memory.store(f"ship {len(self.moments)} moors", tags=["ship"])
            self.moments.append(time.monotonic())

    @contextmanager
    def at_work(self) -> Iterator[None]:
        thread = threading.Thread(target=self._work)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()


def ships(memory: Milepost, wrote: int = EVERYTHING) -> int:
    """Count ships for who wrote up to a place; others are shown everything."""
    with needing(wrote):
        return memory.search_by_tag("ship", limit=1).total


def test_no_read_is_older_than_is_allowed_however_late_a_replica_is(
    primary: PostgresServer,
) -> None:
    url = primary.new_database()
    lag_s = 0.3
    with milepost.connect(url) as elsewhere:
        primary.command(SQL("ALTER SYSTEM SET track_functions = 'all'"))
        primary.command(SQL("SELECT pg_reload_conf()"))
        standby = primary.standby(synchronous=False)
        writer, oldest_s = Writer(elsewhere), 0.0
        with opened(url, standby, lag_ms=300) as memory, writer.at_work():
            before = served(standby)
            for number in range(READ):
                if number % 40 == 10:
                    replay(standby, "pause")
                if number % 40 == 30:
                    replay(standby, "resume")
                began = time.monotonic()
                shown = ships(memory, wrote=0)
                assert shown >= bisect_right(writer.moments, began - lag_s), "older than allowed"
                if shown < len(writer.moments):
                    oldest_s = max(oldest_s, began - writer.moments[shown])
            wait_until(lambda: served(standby) > before)
        assert 0 < oldest_s <= lag_s


def test_of_replicas_behind_one_address_none_is_believed_for_another(
    primary: PostgresServer,
) -> None:
    url = primary.new_database()
    with milepost.connect(url) as elsewhere:
        quick, late = (primary.standby(synchronous=False) for _ in range(2))
        replay(late, "pause")
        elsewhere.store("a ship moors", tags=["ship"])
        with opened(url, quick, late, lag_ms=1) as memory, ThreadPoolExecutor(8) as pool:
            with ExitStack() as held:  # so that there are connections to both
                for _ in range(8):
                    held.enter_context(connections_of(memory).one())
            shown = pool.map(lambda _: ships(memory, wrote=0), range(READ))
            assert set(shown) == {1}


def test_who_wrote_sees_it_though_no_replica_has_it(primary: PostgresServer) -> None:
    url = primary.new_database()
    milepost.connect(url).close()
    standby = primary.standby(synchronous=False)
    with opened(url, standby, lag_ms=3_600_000) as memory:
        name = memory.store("a ship moors", tags=["ship"])
        wait_until(lambda: _reads(standby, memory) > 20)
        replay(standby, "pause")

        for number in range(2, 5):
            memory.store(f"ship {number} moors", tags=["ship"])
            assert ships(memory) == number
        memory.delete(name)
        assert ships(memory) == 3
        # Nobody waits for the disk here, so that the log is ahead of what is written of it.
        store = memory._context.store
        store.answers.keep(memory._context.space, "a key", "a call", "1", memory._context.clock())
        assert store.answers.find(memory._context.space, "a key") is not None

        other = memory.within("other")  # whose memories are not what was written
        assert ships(other) == 0
        replay(standby, "resume")
        standby.stop()
        assert ships(memory) == 3


@contextmanager
def serving(url: str, standby: PostgresServer) -> Iterator[str]:
    """Serve a store from a server of its own, which reads from a replica that is far behind."""
    settings = settings_for(url)._replace(host="127.0.0.1", port=0)
    with opened(url, standby, lag_ms=3_600_000) as memory, running(memory, settings) as address:
        wait_until(lambda: _reads(standby, memory) > 20)
        yield address


def test_who_wrote_at_one_server_sees_it_at_another_whose_replica_lacks_it(
    primary: PostgresServer,
) -> None:
    url = primary.new_database()
    milepost.connect(url).close()
    standby = primary.standby(synchronous=False)
    lagging = opened(url, standby, lag_ms=3_600_000)
    with serving(url, standby) as other, lagging as memory:
        assert ships(memory, wrote=0) == 0
        with serving(url, standby) as one:
            client = MilepostClient(f"{one},{other}")
            assert client.search_by_tag("ship").total == 0
            replay(standby, "pause")
            client.store("a ship moors", tags=["ship"])
            client.within("quay").store("a ship sails", tags=["ship"])
        # From here on the other answers, who knows nothing of what the first was told.
        assert client.search_by_tag("ship").total == 1
        assert client.within("quay").search_by_tag("ship").total == 1
        later = MilepostClient(other)
        assert later.search_by_tag("ship").total == 1, "who says nothing is shown everything"
        client.close()
        later.close()
        replay(standby, "resume")
        wait_until(lambda: ships(memory, wrote=0) == 1)


def test_a_write_that_was_done_elsewhere_before_is_seen_by_who_sends_it_again(
    primary: PostgresServer,
) -> None:
    url = primary.new_database()
    milepost.connect(url).close()
    standby = primary.standby(synchronous=False)

    def sent(server: str, tool: str, arguments: dict[str, str], **headers: str) -> Any:
        body, kind = json.dumps(arguments).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{server}/tools/{tool}/execute", body, kind | headers)
        with urllib.request.urlopen(request) as reply:
            return json.load(reply), reply.headers["Milepost-Written"]

    with serving(url, standby) as one, serving(url, standby) as other:
        replay(standby, "pause")
        ship = {"content": "a ship moors", "tags": "ship"}
        first, _ = sent(one, "store", ship, **{"Idempotency-Key": "a ship"})
        again, written = sent(other, "store", ship, **{"Idempotency-Key": "a ship"})
        assert first == again
        found, _ = sent(other, "search_by_tag", {"tags": "ship"}, **{"Milepost-Written": written})
        assert found["total"] == 1
        replay(standby, "resume")


def test_a_place_that_nobody_wrote_up_to_does_not_keep_reads_from_the_replica(
    primary: PostgresServer,
) -> None:
    url = primary.new_database()
    milepost.connect(url).close()
    standby = primary.standby(synchronous=False)
    with opened(url, standby, lag_ms=3_600_000) as memory:
        memory.store("a ship moors", tags=["ship"])
        for told in (EVERYTHING - 1, EVERYTHING):
            before = _reads(standby, memory, told)
            wait_until(lambda: _reads(standby, memory, told) > before + 20)  # noqa: B023


def test_a_commit_that_is_not_on_disk_yet_is_waited_for(primary: PostgresServer) -> None:
    url = primary.new_database()
    milepost.connect(url).close()
    standby = primary.standby(synchronous=False)
    with opened(url, standby, lag_ms=3_600_000) as memory:
        answers, space = memory._context.store.answers, memory._context.space
        for number in range(20):
            answers.keep(space, f"key {number}", "a call", "1", memory._context.clock())
            assert answers.find(space, f"key {number}") is not None


def test_a_read_that_waited_for_a_connection_is_judged_when_it_reads(
    primary: PostgresServer,
) -> None:
    url = primary.new_database()
    with milepost.connect(url) as elsewhere:
        standby = primary.standby(synchronous=False)
        with (
            opened(url, standby, lag_ms=300, connections=1) as memory,
            ThreadPoolExecutor(1) as pool,
        ):
            wait_until(lambda: _reads(standby, memory) > 20)
            only = connections_of(memory)
            is_late = False
            while not is_late:
                with only.one():
                    reading = pool.submit(ships, memory, 0)
                    time.sleep(0.05)
                    is_late = not reading.done()  # else it went to the primary
                    if is_late:
                        replay(standby, "pause")
                        elsewhere.store("a ship moors", tags=["ship"])
                        time.sleep(0.35)
                shown = reading.result()
            assert shown == 1
            replay(standby, "resume")


def _reads(standby: PostgresServer, memory: Milepost, wrote: int = 0) -> int:
    """Return how many transactions a replica is known to have had, after one more read."""
    ships(memory, wrote)
    asking = "SELECT sum(xact_commit) FROM pg_stat_database WHERE datname LIKE 'milepost%'"
    with psycopg.connect(standby.admin_url, autocommit=True) as connection:
        row = connection.execute(asking).fetchone()
    assert row is not None
    return int(row[0])
