"""A read waits for nobody who writes, and every wait ends with an answer or a clear error."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import apsw
import pytest

import milepost
from milepost import Milepost, StoreBusy
from milepost.opening import settings_for
from milepost.ranking.keys import term_key
from milepost.storage import maintenance
from milepost.storage.index import index as search_index
from milepost.storage.lock import take
from milepost.storage.sqlite import file as sqlite_file
from milepost.storage.sqlite import upkeep
from milepost.surfaces.reach import ask_store
from milepost.text.words import stem
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.values import Expense
from support import PATIENCE_S, StartPython, fill_disk, on_this_machine

RunPython = Callable[..., CompletedProcess[str]]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks as POSIX has them")


def found(memory: Milepost, query: str = "harbour") -> set[str]:
    return {one.hash for one in memory.search_iter(query, min_score=0)}


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_index, "FLUSH_ROWS", 50)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let writers give up soon."""
    defaults = sqlite_file.SqliteFile.writing.__wrapped__.__kwdefaults__
    monkeypatch.setitem(defaults, "wait_s", 0.2)


def test_a_search_is_answered_while_another_program_writes(
    path: Path, small_segments: None
) -> None:
    with milepost.connect(path) as memory:
        memory.store_batch([f"harbour {i}" for i in range(120)])
        with closing(apsw.Connection(str(path))) as other:
            other.execute("BEGIN IMMEDIATE")

            assert len(found(memory)) == 120
            assert memory.recall("harbour 17").memories
            assert memory.timeline(memory.search("harbour").memories[0].hash)
            assert memory.health().status == "healthy"


@pytest.mark.usefixtures("sandbox")
def test_what_answers_a_question_or_a_session_needs_no_write(path: Path, impatient: None) -> None:
    with milepost.connect(path) as memory:
        memory.store("We decided that the harbour opens at six", kind="decision", project="port")
        task = memory.create_episode("open the harbour", {"domain": "port"})
        memory.add_step(task, "Bash", "make open", success=True)
        memory.complete_episode(task, "success", "the gate was oiled")
        other_task = memory.create_episode("open the harbour again", {"domain": "port"})
        memory.run_jobs()
        with closing(apsw.Connection(str(path))) as other:
            other.execute("BEGIN IMMEDIATE")

            assert "six" in str(memory.brief("port", session="s"))
            assert memory.remind("what did we decide about the harbour?", session="s") is not None
            assert "gate" in str(memory.recommend("open the harbour", episode=other_task))
            assert memory.query_memory("harbour", episode=other_task)
            ran = memory.execute_code(
                "state['n'] = 1\nlen(search('harbour').memories)", session="s"
            )
            assert ran.output.startswith("1\nstate not kept: ")


def test_all_that_a_briefing_notes_down_waits_once_for_who_writes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with milepost.connect(path) as memory:
        memory.store("We decided that the harbour opens at six", kind="decision", project="port")
    waits: list[float] = []

    def begin(writer: apsw.Connection, wait_s: float) -> None:
        waits.append(sqlite_file._at_most(wait_s))
        original(writer, wait_s)

    original = sqlite_file._begin
    monkeypatch.setattr(sqlite_file, "_begin", begin)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        asked = {"project": "port", "session": "s"}

        assert "six" in ask_store(settings_for(path), "brief", asked).text
    # What was shown, what the session knows, and what that cost.
    assert len(waits) == 3
    assert sum(waits) < 0.15


def test_who_connects_waits_for_no_thread_that_writes(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store("harbour")
        writes = memory._context.store.file._write_lock
        thread = threading.Thread(target=writes.acquire)  # as one that waits for another process
        thread.start()
        thread.join()

        with milepost.connect(path) as other:
            assert found(other)
        assert found(memory)
        memory._context.store.file._write_lock = threading.RLock()


@pytest.mark.slow
def test_a_ledger_that_cannot_be_written_holds_up_nobody_who_closes(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store("harbour")
        ledger = memory._context.part(Ledger)
        with closing(apsw.Connection(str(path))) as other:
            other.execute("BEGIN IMMEDIATE")
            ledger.record("default", Expense(time.time(), "search", 1, 1))
            began = time.monotonic()
            ledger.close()
            assert time.monotonic() - began < on_this_machine(5)


def test_a_write_that_waits_too_long_says_so(path: Path, impatient: None) -> None:
    with milepost.connect(path) as memory:
        memory.store("harbour")
        with closing(apsw.Connection(str(path))) as other:
            other.execute("BEGIN IMMEDIATE")

            with pytest.raises(StoreBusy, match="try again"):
                memory.store("berth")

        assert memory.store("berth")


def test_a_delete_is_done_although_another_process_holds_the_index(
    path: Path, small_segments: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "FORGET_S", 0.1)
    key = term_key(stem("zyzzyva")).to_bytes(4, "little")

    def holds_word() -> bool:
        files = Path(f"{path}.index").glob("*.segment")
        return any(key in file.read_bytes() for file in files)

    with milepost.connect(path) as memory:
        name = memory.store("zyzzyva")
        memory.store_batch([f"harbour {i}" for i in range(60)])
        memory.search("harbour")
        assert holds_word()
        held = take(Path(f"{path}.index") / "lock")
        assert held is not None

        assert memory.delete(name, erase=True).deleted == 1
        assert memory.search("zyzzyva").memories == ()
        assert len(found(memory)) == 60
        os.close(held)
        memory.store_batch([f"harbour again {i}" for i in range(60)])
        memory.search("harbour")

        assert not holds_word()


def test_what_could_not_be_taken_out_of_the_index_is_taken_out_by_who_opens_it_next(
    path: Path, small_segments: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "FORGET_S", 0.1)
    key = term_key(stem("zyzzyva")).to_bytes(4, "little")
    with milepost.connect(path) as memory:
        name = memory.store("zyzzyva")
        memory.store_batch([f"harbour {i}" for i in range(60)])
        memory.search("harbour")
        held = take(Path(f"{path}.index") / "lock")
        assert held is not None
        memory.delete(name, erase=True)
    os.close(held)

    with milepost.connect(path) as memory:
        memory.search("harbour")
        memory.store("harbour at night")
        memory.search("harbour")

    for file in Path(f"{path}.index").glob("*.segment"):
        assert key not in file.read_bytes()


DAEMON = """
import sys
from milepost.opening import settings_for
from milepost.surfaces.daemon import run
sys.exit(run(settings_for(sys.argv[1])))
"""


def test_a_stopped_warm_process_holds_nobody_up(path: Path, start_python: StartPython) -> None:
    with milepost.connect(path) as memory:
        memory.store("harbour")
    process = start_python(DAEMON, path)
    deadline = time.monotonic() + PATIENCE_S
    asked = milepost.connect(path)
    while not isinstance(asked, milepost.surfaces.remote_memory.WarmMemory):
        assert time.monotonic() < deadline, "no warm process came up"
        time.sleep(0.01)
        asked.close()
        asked = milepost.connect(path)
    assert asked.search("harbour").memories
    # A process that is stopped in the midst of a write does hold others up, as SQLite has it.
    with closing(apsw.Connection(str(path))) as other:
        other.set_busy_timeout(round(1000 * PATIENCE_S))
        other.execute("BEGIN IMMEDIATE")
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
    began = time.monotonic()

    assert asked.search("harbour").memories
    assert asked.store("berth")

    assert time.monotonic() - began < on_this_machine(15), (
        "it waited for a process that was stopped"
    )
    asked.close()


# Disks that cannot be written.

READER = """
import os, sys
import milepost
path = sys.argv[1]
memory = milepost.connect(path)
assert len({m.hash for m in memory.search_iter("harbour", min_score=0)}) == 120
name = memory.search("harbour 17", min_score=0).memories[0].hash
assert memory.get(name).content
assert memory.recall("harbour")
assert "harbour" in str(memory.brief("port"))
health = memory.health()
assert health.count == 120 and health.status == "degraded", health
try:
    memory.store("berth")
    sys.exit("something was stored")
except milepost.StoreUnavailable as problem:
    print(problem)
"""
THEN_STORED = """
os.unlink(sys.argv[2])
assert memory.store("berth of the harbour")
assert memory.health().status == "healthy", memory.health()
assert len({m.hash for m in memory.search_iter("harbour", min_score=0)}) == 121
"""
KILLED = """
import os, sys
import milepost
memory = milepost.connect(sys.argv[1])
memory.store_batch([f"harbour {i}" for i in range(120)])
os.kill(os.getpid(), 9)
"""


def filled(path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store_batch([{"content": f"harbour {i}", "project": "port"} for i in range(120)])
        memory.search("harbour")


@pytest.mark.parametrize("index", ["on disk", "to be made"])
def test_a_store_on_a_read_only_disk_is_read_and_searched(
    mounted: Callable[[str], Path], run_python: RunPython, index: str, request: object
) -> None:
    folder = mounted("size=20m")
    if index == "on disk":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search_index, "FLUSH_ROWS", 50)
            filled(folder / "m.db")
    else:
        filled(folder / "m.db")
    mounted("remount,ro")

    assert "m.db" in run_python(READER, folder / "m.db").stdout


def test_a_store_on_a_read_only_disk_is_checked_and_copied_elsewhere(
    mounted: Callable[[str], Path], tmp_path: Path
) -> None:
    store = mounted("size=20m") / "m.db"
    filled(store)
    mounted("remount,ro")

    copied = maintenance.back_up(str(store), tmp_path / "copy.db", lambda _done, _total: None)

    assert copied.memories == maintenance.info(str(store)).memories == 120
    assert upkeep.check(store) == ()


def test_a_store_that_a_killed_process_left_is_read_on_a_read_only_disk(
    mounted: Callable[[str], Path], start_python: StartPython, run_python: RunPython
) -> None:
    folder = mounted("size=20m")
    start_python(KILLED, folder / "m.db").wait()
    assert Path(f"{folder / 'm.db'}-wal").stat().st_size
    mounted("remount,ro")

    run_python(READER.replace('brief("port")', 'search("harbour")'), folder / "m.db")


def test_a_store_on_a_full_disk_is_read_and_searched_and_written_when_there_is_room(
    mounted: Callable[[str], Path], run_python: RunPython
) -> None:
    folder = mounted("size=4m")
    filled(folder / "m.db")
    ballast = folder / "ballast"
    fill_disk(ballast)

    run_python(READER + THEN_STORED, folder / "m.db", ballast)
