"""Connections are few, may hang, and may lie behind a pooler: whoever waits is told so in time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from shutil import chown, which
from time import monotonic
from urllib.parse import urlsplit

import psycopg
import pytest

from milepost.app import Milepost, open_memory
from milepost.errors import StoreBusy, StoreError, StoreUnavailable
from milepost.opening import settings_for
from milepost.storage.postgres import connections, transaction
from milepost.testing.postgres import PostgresServer, postgres_server
from milepost.upkeep.recorder import Recorder
from support import PATIENCE_S, RunPython, wait_until


@contextmanager
def opened(url: str, **settings: object) -> Iterator[Milepost]:
    with open_memory(settings_for(url)._replace(**settings)) as memory:  # type: ignore[arg-type]
        yield memory


@contextmanager
def hanging(memory: Milepost, space: str) -> Iterator[list[BaseException | None]]:
    """Hold a transaction of a space open in another thread; gives what came of it in the end."""
    ended: list[BaseException | None] = []
    began, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        with memory.within(space)._context.store.writing() as work:
            work.values.put(space, "t", "k", "v")
            work.values.get(space, "t", "k")
            began.set()
            go_on.wait(PATIENCE_S)

    with ThreadPoolExecutor(1) as pool:
        hung = pool.submit(hang)
        assert began.wait(PATIENCE_S)
        try:
            yield ended
        finally:
            go_on.set()
            ended.append(hung.exception())


@pytest.mark.slow
def test_when_all_connections_are_in_use_whoever_waits_is_told_what_to_do(
    postgres_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "POOL_WAIT_S", 0.5)
    with opened(postgres_store_url, database_connections=2) as memory:
        memory.store("the harbour opens at six")
        said = r"All 2 connections.*`database_connections`"
        with (
            hanging(memory, "one"),
            hanging(memory, "two"),
            pytest.raises(StoreBusy, match=said),
        ):
            memory.search("harbour")

        assert memory.search("harbour").total == 1


@pytest.mark.slow
def test_a_writer_that_hangs_is_sent_away_and_the_next_one_writes(
    postgres_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "IDLE_S", 1.0)
    with opened(postgres_store_url) as memory:
        with hanging(memory, "busy") as ended:
            assert memory.within("busy").store("written by who waited")
            assert memory.within("busy").health().count == 1

        assert isinstance(ended[0], StoreUnavailable)
        assert memory.within("busy")._context.store.values.get("busy", "t", "k") is None


@pytest.mark.slow
def test_servers_who_write_to_the_same_spaces_together_do_not_lock_each_other_out(
    postgres_store_url: str,
) -> None:
    spaces = [f"s{number}" for number in range(6)]
    with opened(postgres_store_url) as one, opened(postgres_store_url) as other:

        def note(memory: Milepost, order: list[str]) -> None:
            for turn in range(25):
                for space in order:
                    memory.within(space).record_event("noted", f"{id(memory)} {turn}")
                memory._context.part(Recorder).flush()

        with ThreadPoolExecutor(2) as pool:
            both = pool.submit(note, one, spaces), pool.submit(note, other, spaces[::-1])
            for each in both:
                each.result(PATIENCE_S)

        for space in spaces:
            assert len(one.within(space).recall_events(limit=1_000)) == 50


FORKED = """
import os, sys, threading
import milepost
memory = milepost.connect(sys.argv[1])
before = memory.store("stored before the fork: harbour")
assert memory.search("harbour").total == 1
children = []
for child in range(4):
    pid = os.fork()
    if pid == 0:
        try:
            mine = [memory.store(f"harbour of child {child}, {i}") for i in range(5)]
            found = {m.hash for m in memory.search_iter("harbour", min_score=0)}
            assert {before, *mine} <= found, "a child does not find its own"
            os._exit(0)
        except BaseException as problem:
            print(repr(problem), file=sys.stderr)
            os._exit(1)
    children.append(pid)
mine = [memory.store(f"harbour of the parent, {i}") for i in range(10)]
assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
found = [m.hash for m in memory.search_iter("harbour", min_score=0)]
assert len(found) == len(set(found)) == 1 + 10 + 4 * 5, len(found)
memory.close()
print("good")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fork is used on Linux")
def test_forked_processes_have_connections_of_their_own(
    postgres_store_url: str, run_python: RunPython
) -> None:
    assert run_python(FORKED, postgres_store_url).stdout == "good\n"


@contextmanager
def pgbouncer(server: PostgresServer, url: str, folder: Path) -> Iterator[str]:
    """Put a pooler before a database, in transaction mode with two connections; gives its URL."""
    program = which("pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    there, port = urlsplit(url), _port_beside(server.port)
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host=127.0.0.1 port={server.port} user={there.username} "
        f"password={there.password}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        "unix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n"
    )
    account: dict[str, int] = {}
    if os.geteuid() == 0:  # as which it refuses to run
        for place in (folder, settings):
            chown(place, "nobody")
        account = {"user": settings.stat().st_uid}
    process = subprocess.Popen(
        [program, "-q", str(settings)], stderr=subprocess.DEVNULL, cwd="/", **account
    )
    try:
        through = url.replace(str(server.port), str(port))
        wait_until(lambda: process.poll() is None and _answers(through))
        yield through
    finally:
        process.kill()
        process.wait()


def _port_beside(port: int) -> int:
    return port - 1


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.mark.slow
def test_a_pooler_between_serves_many_spaces_and_is_told_of_if_it_mixes_statements_up() -> None:
    folder = Path(f"/tmp/mp-bouncer-{os.getpid()}")  # where another user may read
    folder.mkdir()
    with postgres_server() as server:
        url = server.new_database()
        try:
            with pgbouncer(server, url, folder) as through:
                _use(through)
                # Whoever comes next finds what was prepared on the same connections.
                with pytest.raises(StoreError, match="set `database_prepare` to off"):
                    _prepare_again_and_again(through)
        finally:
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()


def _prepare_again_and_again(url: str) -> None:
    for _ in range(5):
        with opened(url) as memory:
            for number in range(10):
                memory.search(f"ship {number}")


def _use(url: str) -> None:
    with opened(url, database_prepare="off", database_connections=8) as memory:

        def work(number: int) -> None:
            mine = memory.within(f"space-{number}")
            for turn in range(10):
                name = mine.store(f"ship {turn} of {number}")
                assert {row.hash for row in mine.search(f"ship {turn}", min_score=0)} >= {name}

        began = monotonic()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert monotonic() - began < PATIENCE_S
        assert [memory.within(f"space-{n}").health().count for n in range(8)] == [10] * 8
