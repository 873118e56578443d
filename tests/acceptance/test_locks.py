"""A store that is open stays locked and whole, whatever else its process and others do with it."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import rmtree
from subprocess import CompletedProcess, Popen

import pytest

import milepost
from milepost import StoreBusy, StoreCorrupt, StoreUnavailable
from milepost.storage import maintenance
from milepost.storage.sqlite import upkeep

StartPython = Callable[..., Popen[str]]
RunPython = Callable[..., CompletedProcess[str]]

# Opens a store, does something beside it, waits for a line, and then stores twenty memories.
HOLDER = """
import os, shutil, sqlite3, sys, threading
import milepost
path = sys.argv[1]
os.environ["MILEPOST_URL"] = path
memory = milepost.connect(path)
memory.store("harbour")
{disturb}
print("ready", flush=True)
sys.stdin.readline()
for i in range(20):
    print(memory.store(f"berth {{i}} of the harbour"), flush=True)
assert len({{m.hash for m in memory.search_iter("harbour", min_score=0)}}) >= 21
memory.close()
"""

DISTURBANCES = {
    "a second connect": "milepost.connect(path).close()",
    "a second connect that stays": "other = milepost.connect(path)",
    "another space": "milepost.connect(path, space='b').close()",
    "the functions of the module": "milepost.search('harbour')",
    "a connect per request": "[milepost.connect(path).search('x') for _ in range(5)]",
    "threads that connect": (
        "threads = [threading.Thread(target=lambda: milepost.connect(path).close()) "
        "for _ in range(8)]\n"
        "[t.start() for t in threads]\n[t.join() for t in threads]"
    ),
    "a fork that uses it": (
        "if os.fork() == 0:\n"
        "    memory.store('harbour of the child'); memory.close(); os._exit(0)\n"
        "os.wait()"
    ),
    "a fork that does not": "if os.fork() == 0:\n    os._exit(0)\nos.wait()",
    "a link to it": "os.symlink(path, path + '.link'); milepost.connect(path + '.link').close()",
    "Python's own sqlite3": (
        "c = sqlite3.connect(path); c.execute('SELECT count(*) FROM memories'); c.close()"
    ),
    "reading the file": "open(path, 'rb').read()",
    "copying the file": "shutil.copy(path, path + '.copy')",
}

needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks")


def held(start_python: StartPython, path: Path, disturb: str) -> Popen[str]:
    process = start_python(HOLDER.format(disturb=disturb), path)
    assert process.stdout
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    return process


def told(process: Popen[str]) -> set[str]:
    out, err = process.communicate("go\n", timeout=120)
    assert process.returncode == 0, err
    return set(out.split())


def quiet(_done: int, _total: int) -> None:
    """Show no progress."""


@needs_linux
@pytest.mark.parametrize("disturb", DISTURBANCES.values(), ids=DISTURBANCES.keys())
def test_a_store_in_use_is_not_replaced_by_a_copy(
    path: Path, tmp_path: Path, start_python: StartPython, disturb: str
) -> None:
    copy = tmp_path / "copy.backup"
    with milepost.connect(tmp_path / "other.db") as memory:
        memory.store("mountain")
    maintenance.back_up(str(tmp_path / "other.db"), copy, quiet)
    process = held(start_python, path, disturb)

    with pytest.raises(StoreBusy, match="in use"):
        maintenance.restore(str(path), copy, quiet)

    acknowledged = told(process)
    with milepost.connect(path) as memory:
        assert acknowledged <= {m.hash for m in memory.search_iter("harbour", min_score=0)}
    assert upkeep.check(path) == ()
    assert maintenance.restore(str(path), copy, quiet).memories == 1


@needs_linux
@pytest.mark.parametrize("disturb", DISTURBANCES.values(), ids=DISTURBANCES.keys())
def test_another_program_that_looks_at_the_file_costs_no_acknowledged_write(
    path: Path, start_python: StartPython, disturb: str
) -> None:
    process = held(start_python, path, disturb)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM memories").fetchone()[0] >= 1

    acknowledged = told(process)

    assert len(acknowledged) == 20
    with milepost.connect(path) as memory:
        assert acknowledged <= {m.hash for m in memory.search_iter("harbour", min_score=0)}
    assert upkeep.check(path) == ()


CHILDREN = """
import os, sys
import milepost
path = sys.argv[1]
memory = milepost.connect(path)
memory.store("harbour")
children = []
for n in range(4):
    pid = os.fork()
    if pid == 0:
        for i in range(20):
            memory.store(f"berth {i} of child {n}")
        memory.close()
        os._exit(0)
    children.append(pid)
memory.close()  # the last connection that this process knows of would take the log with it
assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4
with milepost.connect(path) as again:
    assert again.health().count == 81, again.health()
"""


@needs_linux
def test_children_go_on_writing_when_their_parent_lets_go(
    path: Path, start_python: StartPython
) -> None:
    process = start_python(CHILDREN, path)
    out, err = process.communicate(timeout=120)

    assert process.returncode == 0, out + err
    assert upkeep.check(path) == ()


def test_all_who_connect_to_a_file_share_one_store(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    with milepost.connect(path) as one, milepost.connect(path, space="b") as other:
        link.symlink_to(path)
        with milepost.connect(link) as third:
            assert one._context.store is other._context.store is third._context.store
        one.store("harbour")
        assert other.health().count == 0


def test_a_memory_stays_open_for_the_others_when_one_is_closed(path: Path) -> None:
    one, other = milepost.connect(path), milepost.connect(path)
    one.close()
    one.close()

    assert other.store("harbour")
    assert other.search("harbour").memories
    other.close()


def test_a_file_in_the_place_of_one_that_is_open_is_another_store(
    path: Path, tmp_path: Path
) -> None:
    with milepost.connect(path) as old:
        old.store("harbour")
        path.rename(tmp_path / "moved.db")
        with milepost.connect(path) as new:
            assert new.health().count == 0


FORKS = """
import os, sys, threading
import milepost
from milepost.storage.sqlite import file
file.BUSY_TIMEOUT_S = 60.0
memories = [milepost.connect(sys.argv[1] + name) for name in ("", "2")]
ended = threading.Event()
def write():
    while not ended.is_set():
        memories[0].store("harbour")
others = [threading.Thread(target=write)]
[t.start() for t in others]
def fork():
    for _ in range(60):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
before = len(os.listdir("/proc/self/fd"))
forks = [threading.Thread(target=fork) for _ in range(4)]
[t.start() for t in forks]
[t.join() for t in forks]
ended.set()
[t.join() for t in others]
assert len(os.listdir("/proc/self/fd")) < before + 50, "descriptors are left open"
[memory.store("berth") for memory in memories]
"""


@needs_linux
def test_threads_that_fork_at_once_leave_no_lock_and_no_file_behind(
    path: Path, run_python: RunPython
) -> None:
    done = run_python(FORKS, path)

    assert done.returncode == 0, done.stderr
    assert "Exception ignored" not in done.stderr


CONNECT_IN_CHILD = """
import os, signal, sys
import milepost, milepost.storage
path = sys.argv[1]
milepost.connect(path).close()
lock = milepost.storage._OPENING[next(iter(milepost.storage._OPENING))]
lock.acquire()  # as by a thread that connects at this moment
pid = os.fork()
if pid == 0:
    signal.alarm(100)
    milepost.connect(path).store("harbour")
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
"""


@needs_linux
def test_a_child_connects_although_a_thread_of_its_parent_was_about_to(
    path: Path, run_python: RunPython
) -> None:
    done = run_python(CONNECT_IN_CHILD, path)

    assert done.returncode == 0, done.stderr


@needs_linux
def test_a_store_whose_index_was_removed_is_still_in_use(
    path: Path, tmp_path: Path, start_python: StartPython
) -> None:
    with milepost.connect(tmp_path / "other.db") as memory:
        memory.store("mountain")
    maintenance.back_up(str(tmp_path / "other.db"), tmp_path / "copy.backup", quiet)
    disturb = "shutil.rmtree(path + '.index'); memory.search('harbour'); open(path, 'rb').read()"
    process = held(start_python, path, disturb)

    with pytest.raises(StoreBusy, match="in use"):
        maintenance.restore(str(path), tmp_path / "copy.backup", quiet)

    assert len(told(process)) == 20


def test_a_store_that_could_not_be_opened_is_not_in_use(path: Path, tmp_path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store("harbour")
    maintenance.back_up(str(path), tmp_path / "copy.backup", quiet)
    with closing(sqlite3.connect(path)) as other:
        find = "SELECT rootpage FROM sqlite_schema WHERE name = 'meta'"
        page = other.execute(find).fetchone()[0]
        size = other.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with pytest.raises(StoreCorrupt):
        milepost.connect(path).health()

    assert maintenance.restore(str(path), tmp_path / "copy.backup", quiet).memories == 1
    with milepost.connect(path) as memory:
        assert memory.search("harbour").memories


def test_a_database_that_is_moved_away_alone_takes_what_is_in_its_log_along(
    path: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "moved.db"
    with milepost.connect(path) as memory:
        memory.store("harbour")
        path.rename(moved)
        memory.store("mountain")
    for place, words in ((moved, "harbour"), (path, "mountain")):
        with milepost.connect(place) as memory:
            assert [words in one.preview for one in memory.search(words).memories] == [True]
            assert memory.health().count == 1


def test_a_restore_says_what_is_in_the_place_of_the_index(path: Path, tmp_path: Path) -> None:
    with milepost.connect(path) as memory:
        memory.store("harbour")
    maintenance.back_up(str(path), tmp_path / "copy.backup", quiet)
    rmtree(f"{path}.index")
    Path(f"{path}.index").touch()

    with pytest.raises(StoreUnavailable, match="search index"):
        maintenance.restore(str(path), tmp_path / "copy.backup", quiet)
