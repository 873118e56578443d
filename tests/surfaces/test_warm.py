"""A process that has the memory open answers for it, and is never needed."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

import milepost
from milepost.app import open_memory
from milepost.config import Settings, load_settings
from milepost.errors import ConfigError, NotFound, StoreUnavailable
from milepost.opening import settings_for
from milepost.storage.lock import take
from milepost.surfaces import daemon, warm
from milepost.surfaces.warm_server import WarmServer
from support import (
    PATIENCE_S,
    Running,
    RunPython,
    StartPython,
    forget_functions,
    kept_warm,
    on_this_machine,
    wait_until,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")

DAEMON = """
import sys
from milepost.opening import settings_for
from milepost.surfaces.daemon import run
sys.exit(run(settings_for(sys.argv[1])._replace(daemon_idle=int(sys.argv[2]))))
"""


@pytest.fixture
def settings(path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("MILEPOST_URL", str(path))
    forget_functions()
    return load_settings()


@pytest.fixture
def start_daemon(start_python: StartPython, settings: Settings) -> Callable[..., Running]:
    def start(idle_s: int = 60) -> Running:
        process = start_python(DAEMON, settings.url, idle_s)
        wait_until(lambda: is_answered(settings))
        return process

    return start


def is_answered(settings: Settings) -> bool:
    found = daemon.of_store(settings)
    return found is not None and found.answers


# What it answers.


def test_a_warm_process_gives_what_the_store_gives(path: Path) -> None:
    with milepost.connect(path) as memory:
        known = memory.store("The deploy key rotates on Mondays", tags=["ops"], author="Ann")
        with kept_warm(path), milepost.connect(path) as asked:
            for call in (
                lambda m: m.search("when do keys rotate?"),
                lambda m: m.recall("keys today"),
                lambda m: m.get(known),
                lambda m: m.health(),
                lambda m: m.store_batch(["The deploy key rotates on Mondays"]),
                lambda m: m.search_by_tag("nothing has this tag"),
            ):
                here, there = call(memory), call(asked)
                assert (here, type(here), str(here)) == (there, type(there), str(there))


def test_errors_are_those_of_the_store(path: Path) -> None:
    with kept_warm(path), milepost.connect(path) as asked:
        with pytest.raises(NotFound, match="No memory has the hash 00000000"):
            asked.get("00000000")
        with pytest.raises(TypeError):
            asked.search(colour="red")  # type: ignore[call-arg]


def test_what_cannot_be_done_twice_is_done_by_the_caller(path: Path) -> None:
    with kept_warm(path) as server, milepost.connect(path) as asked:
        known = asked.store("to be deleted")
        before = server._calls
        assert asked.delete(known).deleted == 1
        assert not asked.search("deleted").memories
        assert server._calls == before + 1  # the search alone


def test_spaces_stay_apart(path: Path) -> None:
    with (
        kept_warm(path),
        milepost.connect(path, "ann") as ann,
        milepost.connect(path, "bob") as bob,
    ):
        ann.store("Ann's secret harbour")

        assert ann.search("harbour").total == 1
        assert bob.search("harbour").total == 0


def test_who_goes_by_another_map_of_spaces_is_not_answered(
    path: Path, tmp_path: Path, settings: Settings
) -> None:
    ours, theirs = (
        settings._replace(space="team", spaces_file=str(tmp_path / name))
        for name in ("ours.toml", "theirs.toml")
    )
    alone = settings._replace(space="team", spaces_file="")
    with milepost.connect(path, "team") as usual:
        usual.store("The harbour closes at nine")
    with open_memory(theirs) as memory:
        server = WarmServer(memory, theirs, "test")
        assert server.start()
        try:
            # Where nobody has a map all spaces are in the same place.
            for asked in (ours, theirs, alone):
                assert warm.call(asked, "search", ("harbour",), {}).total == 1

            Path(theirs.spaces_file).write_text(f'team = "{tmp_path}/team.db"\n')

            assert warm.call(theirs, "search", ("harbour",), {}).total == 0
            for asked in (ours, alone):
                with pytest.raises(warm.Unanswered):
                    warm.call(asked, "search", ("harbour",), {})

            Path(ours.spaces_file).symlink_to(theirs.spaces_file)
            assert warm.call(ours, "search", ("harbour",), {}).total == 0
        finally:
            server.stop()


def test_many_threads_ask_at_once(path: Path) -> None:
    with kept_warm(path), milepost.connect(path) as asked, ThreadPoolExecutor(16) as pool:
        stored = list(pool.map(lambda i: asked.store(f"fact number {i} of many"), range(100)))

        assert len(set(stored)) == 100
        assert asked.health().count == 100


def test_a_program_that_asks_a_warm_process_loads_next_to_nothing(
    path: Path, run_python: RunPython, settings: Settings
) -> None:
    with kept_warm(path):
        milepost.store("The harbour closes at nine")
        ran = run_python(
            "import sys; before = set(sys.modules)\n"
            "from milepost.surfaces import warm; warm.GREETING_S = 60\n"
            "from milepost import search; print(search('when does the harbour close?'))\n"
            "print(*(set(sys.modules) - before))"
        )

    found, loaded = ran.stdout.splitlines()
    assert "closes at nine" in found
    heavy = "numpy msgspec apsw typing re json enum socket pathlib collections functools asyncio"
    assert set(loaded.split()).isdisjoint(heavy.split())


def test_a_function_that_asks_a_warm_process_still_explains_itself(
    path: Path, settings: Settings
) -> None:
    from inspect import signature

    with kept_warm(path):
        assert "Find the memories" in str(milepost.search.__doc__)
        assert list(signature(milepost.search).parameters)[:2] == ["query", "limit"]


def test_a_forked_child_does_not_use_its_parents_connection(path: Path, settings: Settings) -> None:
    with kept_warm(path), milepost.connect(path) as asked:
        asked.store("before the fork")
        child = os.fork()
        if child == 0:
            os._exit(0 if asked.search("fork").total == 1 else 1)
        assert asked.search("fork").total == 1
        assert os.waitpid(child, 0)[1] == 0


# When it is not there, or not well.


def test_a_killed_daemon_loses_nothing_and_nobody_notices(
    path: Path, start_daemon: Callable[..., Running]
) -> None:
    acknowledged: list[str] = []
    failures: list[Exception] = []
    done = threading.Event()

    def write(worker: int) -> None:
        with milepost.connect(path) as asked:
            for i in range(10_000):
                if done.is_set():
                    return
                try:
                    acknowledged.append(asked.store(f"fact {i} of worker {worker}"))
                except Exception as problem:  # noqa: BLE001
                    failures.append(problem)
                    return

    first = start_daemon()
    workers = [threading.Thread(target=write, args=(n,)) for n in range(3)]
    for worker in workers:
        worker.start()
    for running in (first, None, None):
        process = running or start_daemon()
        before = len(acknowledged)
        wait_until(lambda known=before: len(acknowledged) > known + 30)
        process.kill()
        process.wait()
    done.set()
    for worker in workers:
        worker.join()

    assert not failures
    with open_memory(settings_for(path)) as memory:
        assert len(acknowledged) > 20
        assert all(memory.get(known) for known in acknowledged)


def test_a_daemon_that_hangs_is_not_waited_for(
    path: Path, start_daemon: Callable[..., Running], settings: Settings
) -> None:
    process = start_daemon()
    milepost.store("The harbour closes at nine")
    warm.close_idle()
    process.send_signal(signal.SIGSTOP)
    try:
        with open_memory(settings):
            began = time.monotonic()
            assert milepost.search("harbour").total == 1
            assert time.monotonic() - began < on_this_machine(2)
    finally:
        process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.0 200 OK\r\n\r\n", warm.GREETING + b"\xff" * 64])
def test_whatever_else_listens_there_is_not_believed(settings: Settings, answer: bytes) -> None:
    place = warm.endpoint(settings.runtime_folder, str(warm.canonical(settings.url)))
    with socket.socket(socket.AF_UNIX) as impostor:
        impostor.bind(place)
        impostor.listen()

        def pose() -> None:
            with suppress(OSError):  # shut down, or whoever asked is gone
                while True:
                    connection, _ = impostor.accept()
                    with connection:
                        connection.sendall(answer)

        posing = threading.Thread(target=pose, daemon=True)
        posing.start()
        assert milepost.health().status == "healthy"
        impostor.shutdown(socket.SHUT_RDWR)
        posing.join(PATIENCE_S)
    Path(place).unlink()


def test_a_folder_that_others_may_enter_is_not_trusted(
    path: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o755)
    monkeypatch.setenv("MILEPOST_RUNTIME_FOLDER", str(folder))

    with open_memory(settings) as memory, pytest.raises(ConfigError, match="other users"):
        WarmServer(memory, load_settings(), "test").start()


def test_a_daemon_of_another_version_is_not_asked_and_ends(
    start_daemon: Callable[..., Running], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start_daemon()
    monkeypatch.setattr(warm, "__version__", "99.0")

    assert milepost.health().status == "healthy"
    assert process.wait(timeout=PATIENCE_S) == 0


def test_the_setting_off_asks_nobody(
    path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept_warm(path) as server:
        monkeypatch.setenv("MILEPOST_DAEMON", "off")
        assert milepost.health().status == "healthy"
        assert server._calls == 0


# Its life.


def test_there_is_one_for_a_store(
    start_daemon: Callable[..., Running], settings: Settings, path: Path
) -> None:
    process = start_daemon()

    assert str(process.pid) in daemon.start(settings)
    with pytest.raises(StoreUnavailable, match="already"):
        daemon.run(settings)
    with open_memory(settings) as memory:
        assert not WarmServer(memory, settings, "test").start()


def test_status_and_stop_tell_the_truth(
    start_daemon: Callable[..., Running], settings: Settings
) -> None:
    assert daemon.status(settings) == []
    assert "no process" in daemon.stop(settings)

    process = start_daemon()
    milepost.store("one call")
    (found,) = daemon.status(settings)
    assert (found.pid, found.role, found.calls) == (process.pid, "daemon", 1)
    assert found.resident_mb > 10

    assert daemon.stop(settings) == f"stopped daemon {process.pid}"
    assert process.wait(timeout=PATIENCE_S) == 0
    assert daemon.status(settings) == []

    process = start_daemon()
    process.kill()
    process.wait()
    assert daemon.status(settings) == []
    assert not warm.is_offered(settings)


def test_it_ends_when_nobody_asks(start_daemon: Callable[..., Running]) -> None:
    assert start_daemon(idle_s=1).wait(timeout=PATIENCE_S) == 0


def test_it_starts_on_demand_when_the_setting_says_so(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_DAEMON", "start")
    monkeypatch.setenv("MILEPOST_DAEMON_IDLE", "30")

    milepost.store("this call does not wait for it")
    wait_until(lambda: is_answered(settings))
    forget_functions()
    milepost.search("wait")

    (found,) = daemon.status(settings)
    assert found.calls == 1
    assert "stopped" in daemon.stop(settings)


# Where there are no Unix sockets.


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "HAS_UNIX_SOCKETS", False)


@pytest.mark.usefixtures("loopback")
def test_it_listens_on_loopback_for_who_has_the_token(path: Path, settings: Settings) -> None:
    with kept_warm(path) as server:
        assert milepost.store("over loopback")
        assert server._calls == 1
        place = Path(warm.endpoint(settings.runtime_folder, str(warm.canonical(settings.url))))
        assert place.stat().st_mode & 0o077 == 0
        port, token = place.read_bytes().split()
        with socket.create_connection(("127.0.0.1", int(port))) as stranger:
            stranger.sendall(b"0" * len(token))
            assert stranger.recv(100) == b""


# Other processes that have the memory open.


@pytest.mark.parametrize("command", [["mcp"], ["serve", "--port", "0"]])
def test_a_server_answers_for_the_memory_as_well(
    command: list[str], settings: Settings, start_python: StartPython
) -> None:
    start = "import sys; from milepost.surfaces.cli import main; sys.exit(main(sys.argv[1:]))"
    process = start_python(start, *command)
    wait_until(lambda: is_answered(settings))
    forget_functions()
    milepost.store("asked of the server")

    (found,) = daemon.status(settings)
    assert (found.pid, found.calls) == (process.pid, 1)
    assert "end it where it was started" in daemon.stop(settings)
    assert process.stdin is not None
    process.stdin.close() if command == ["mcp"] else process.terminate()
    process.wait(timeout=PATIENCE_S)
    assert daemon.status(settings) == []


def test_a_dead_daemon_is_not_taken_for_alive_while_another_looks(
    start_daemon: Callable[..., Running], settings: Settings
) -> None:
    process = start_daemon()
    process.kill()
    process.wait()
    lock = Path(warm.endpoint(settings.runtime_folder, str(warm.canonical(settings.url))))
    held = take(lock.with_suffix(".lock"))
    assert held is not None

    assert daemon.status(settings) == []
    os.close(held)


def test_other_names_of_operations_work_on_any_memory(path: Path) -> None:
    with milepost.connect(path) as memory:
        known = memory.remember("by another name")  # type: ignore[attr-defined]
        assert memory.forget(known).deleted == 1  # type: ignore[attr-defined]
        with pytest.raises(AttributeError):
            _ = memory.no_such_thing  # type: ignore[attr-defined]
