"""What was acknowledged is there afterwards: kill -9, lost index, old copies, full disks."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, Popen

import apsw
import pytest

import milepost
from milepost import Milepost
from milepost.storage.index import index as search_index

RunPython = Callable[..., CompletedProcess[str]]
StartPython = Callable[..., Popen[str]]

WRITER = """
import itertools, sys
import milepost
import milepost.storage.index.index as index
path, name, flush_rows, searching = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
index.FLUSH_ROWS = flush_rows
memory = milepost.connect(path)
for i in itertools.count():
    print(memory.store(f"the harbour of {name} has berth {i}"), flush=True)
    if i % searching == 0:
        memory.search("harbour")
"""

BATCH_WRITER = """
import itertools, sys
import milepost
memory = milepost.connect(sys.argv[1])
for i in itertools.count():
    names = memory.store_batch([f"harbour {sys.argv[2]} {i} {k}" for k in range(50)])
    print(*names, flush=True)
"""

needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses Linux limits")


def found(memory: Milepost, query: str = "harbour") -> list[str]:
    return [one.hash for one in memory.search_iter(query, min_score=0)]


def killed_after(process: Popen[str], lines: int) -> list[str]:
    """Kill a writer as soon as it acknowledged some lines; return all that it did acknowledge."""
    assert process.stdout
    told = [process.stdout.readline() for _ in range(lines)]
    process.send_signal(signal.SIGKILL)
    # Not by communicate, which does not see what was read ahead with the lines above.
    assert process.stderr
    rest, err = process.stdout.read(), process.stderr.read()
    assert process.wait() == -signal.SIGKILL, err
    # A line without its end was cut off while it was written: not an acknowledgement.
    told += [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    return " ".join(told).split()


def assert_sound(path: Path) -> None:
    connection = apsw.Connection(str(path))
    try:
        assert connection.execute("PRAGMA integrity_check").get == "ok"
        assert connection.execute("PRAGMA foreign_key_check").get is None
    finally:
        connection.close()


def index_of(path: Path) -> Path:
    return Path(f"{path}.index")


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few memories be enough for an index on disk."""
    monkeypatch.setattr(search_index, "FLUSH_ROWS", 50)


@pytest.fixture
def indexed(path: Path, small_segments: None) -> Path:
    """A store of 300 memories whose index is on disk."""
    with milepost.connect(path) as memory:
        memory.store_batch([f"harbour {i}" for i in range(240)])
        memory.search("harbour")
        memory.store_batch([f"harbour again {i}" for i in range(60)])
        memory.search("harbour")
    assert list(index_of(path).glob("*.segment"))
    return path


# Killed.


@pytest.mark.parametrize(
    ("flush_rows", "searching", "rounds"),
    [(512, 7, 4), (4, 1, 3)],
    ids=["while it stores", "while it writes and merges the index"],
)
def test_a_writer_killed_at_any_moment_loses_nothing_it_acknowledged(
    path: Path, start_python: StartPython, flush_rows: int, searching: int, rounds: int
) -> None:
    # Takes several seconds: the writers start one after another.
    dice = random.Random(flush_rows)
    acknowledged: set[str] = set()
    for i in range(rounds):
        writer = start_python(WRITER, path, f"round{i}", flush_rows, searching)
        acknowledged.update(killed_after(writer, dice.randint(5, 40)))
        assert_sound(path)
        with milepost.connect(path) as memory:
            seen = found(memory)
            assert acknowledged <= set(seen)
            assert len(seen) == len(set(seen)) == memory.health().count
            # At most the one store under way when it was killed is there unacknowledged.
            assert len(seen) <= len(acknowledged) + i + 1
            assert memory.search(f"berth of round{i}").memories


def test_a_batch_cut_off_by_a_kill_is_there_whole_or_not_at_all(
    path: Path, start_python: StartPython
) -> None:
    acknowledged: set[str] = set()
    for i in range(2):
        acknowledged.update(killed_after(start_python(BATCH_WRITER, path, i), 2 + i))
    with milepost.connect(path) as memory:
        assert memory.health().count % 50 == 0
        assert acknowledged <= set(found(memory))
    assert_sound(path)


def test_writers_killed_beside_each_other_leave_a_store_that_works(
    path: Path, start_python: StartPython
) -> None:
    writers = [start_python(WRITER, path, f"writer{i}", 8, 2) for i in range(3)]
    acknowledged = {name for writer in writers for name in killed_after(writer, 20)}

    with milepost.connect(path) as memory:
        assert acknowledged <= set(found(memory))
        assert memory.store("another harbour") in found(memory)
    assert_sound(path)


# The index is derived.


def test_deleting_the_index_loses_nothing(indexed: Path) -> None:
    shutil.rmtree(index_of(indexed))

    with milepost.connect(indexed) as memory:
        assert len(set(found(memory))) == 300


def test_deleting_the_index_of_an_open_store_loses_nothing(indexed: Path) -> None:
    with milepost.connect(indexed) as memory:
        assert len(set(found(memory))) == 300
        shutil.rmtree(index_of(indexed))
        memory.store_batch([f"harbour once more {i}" for i in range(60)])
        assert len(set(found(memory))) == 360
        memory.delete(found(memory)[0])
        assert len(set(found(memory))) == 359
    with milepost.connect(indexed) as memory:
        assert len(set(found(memory))) == 359


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def cut_in_half(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def cut_by_a_byte(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def filled_with_noise(file: Path) -> None:
    file.write_bytes(random.Random(1).randbytes(len(file.read_bytes())))


def with_noise_inside(file: Path) -> None:
    content = bytearray(file.read_bytes())
    middle = len(content) // 8
    content[middle:-middle] = random.Random(1).randbytes(len(content) - 2 * middle)
    file.write_bytes(content)


def with_zeros_at_the_end(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-len(content) // 3 :] = bytes(len(content) - len(content[: -len(content) // 3]))
    file.write_bytes(content)


def of_json_that_means_nothing(file: Path) -> None:
    file.write_bytes(b"[1, 2]")


def removed(file: Path) -> None:
    file.unlink()


DAMAGES = (
    emptied,
    cut_in_half,
    cut_by_a_byte,
    filled_with_noise,
    with_noise_inside,
    with_zeros_at_the_end,
    of_json_that_means_nothing,
    removed,
)


@pytest.mark.parametrize("pattern", ["*.segment", "manifest.json"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_index_loses_nothing(
    indexed: Path, damage: Callable[[Path], None], pattern: str
) -> None:
    for file in index_of(indexed).glob(pattern):
        damage(file)

    with milepost.connect(indexed) as memory:
        seen = found(memory)
        assert len(seen) == len(set(seen)) == 300
        assert memory.search("harbour again 17", min_score=0).memories
        memory.delete(seen[0])
        name = memory.store("harbour after the damage")
        assert name in found(memory)
        memory.store_batch([f"harbour rebuilt {i}" for i in range(60)])
        assert len(set(found(memory))) == 360
    with milepost.connect(indexed) as memory:
        assert len(set(found(memory))) == 360


@pytest.mark.parametrize("damage", [emptied, cut_in_half, filled_with_noise, removed])
def test_a_memory_can_be_deleted_although_the_index_is_damaged(
    indexed: Path, damage: Callable[[Path], None]
) -> None:
    with milepost.connect(indexed) as memory:
        name = found(memory)[0]
    for file in index_of(indexed).glob("*.segment"):
        damage(file)

    with milepost.connect(indexed) as memory:
        assert memory.delete(name).hashes == (name,)
        assert name not in found(memory)
        assert len(set(found(memory))) == 299


def test_an_index_folder_that_is_a_file_does_no_harm(path: Path, small_segments: None) -> None:
    index_of(path).write_text("in the way")

    with milepost.connect(path) as memory:
        names = memory.store_batch([f"harbour {i}" for i in range(60)])
        assert len(found(memory)) == 60
        memory.delete(names[0])
        assert len(found(memory)) == 59


# Old copies.


def restored(path: Path, copy: Path) -> None:
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        name.unlink(missing_ok=True)
    shutil.copy(copy, path)


@pytest.fixture
def rolled_back(path: Path, tmp_path: Path, small_segments: None) -> Path:
    """A store of 60 memories restored from a copy, beside the index of 120."""
    copy = tmp_path / "copy.db"
    with milepost.connect(path) as memory:
        memory.store_batch([f"harbour {i}" for i in range(60)])
        memory.search("harbour")
    shutil.copy(path, copy)
    with milepost.connect(path) as memory:
        memory.store_batch([f"harbour lost {i}" for i in range(60)])
        memory.search("harbour")
    restored(path, copy)
    return path


def test_an_older_copy_is_searched_as_it_is_although_the_index_is_newer(
    rolled_back: Path,
) -> None:
    with milepost.connect(rolled_back) as memory:
        assert len(found(memory)) == len(set(found(memory))) == 60
        assert all("lost" not in memory.get(name).content for name in found(memory))
        name = memory.store("harbour anew")
        assert name in found(memory)


@pytest.mark.slow
@pytest.mark.parametrize("written", [1, 59, 60, 61, 70])
def test_an_older_copy_that_was_written_to_meanwhile_is_searched_as_it_is(
    rolled_back: Path, written: int
) -> None:
    with milepost.connect(rolled_back) as memory:
        memory.store_batch([f"harbour anew {i}" for i in range(written)])
    with milepost.connect(rolled_back) as memory:
        assert len(set(found(memory))) == 60 + written
        assert {memory.get(name).content for name in found(memory)}.isdisjoint(
            f"harbour lost {i}" for i in range(60)
        )


@pytest.mark.slow
def test_an_older_copy_whose_changes_caught_up_with_the_index_is_searched_as_it_is(
    rolled_back: Path,
) -> None:
    with milepost.connect(rolled_back) as memory:
        names = memory.store_batch(
            [{"content": f"harbour anew {i}", "tags": "new"} for i in range(30)]
        )
        memory.store_batch([{"content": f"harbour {i}", "tags": "old"} for i in range(60)])
    with milepost.connect(rolled_back) as memory:
        assert set(names) <= set(found(memory))
        assert len(set(found(memory))) == 90
        assert memory.search_by_tag("new").total == 30
        assert memory.search_by_tag("old").total == 60
        assert set(names) <= set(found(memory, "anew"))


@pytest.mark.slow
def test_another_database_in_the_place_of_the_first_is_searched_as_it_is(
    indexed: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    with milepost.connect(copy) as memory:
        names = memory.store_batch([f"mountain {i}" for i in range(350)])
    restored(indexed, copy)

    with milepost.connect(indexed) as memory:
        assert set(found(memory, "mountain")) == set(names)
        assert memory.search_by_tag("none").total == 0


# Full disks and folders that may not be written.

FILLING = """
import json, os, sys
import milepost
path, ballast = sys.argv[1], sys.argv[2]
memory = milepost.connect(path)
memory.store_batch([f"harbour {i}" for i in range(100)])
stored = 100
try:
    for i in range(100_000):
        memory.store(f"berth {i} of the harbour " + os.urandom(600).hex())
        stored += 1
    sys.exit("the disk never filled up")
except milepost.MilepostError as problem:
    print(type(problem).__name__, problem)
assert memory.health().count == stored, (memory.health(), stored)
assert memory.search("harbour").memories
try:
    memory.store_batch(["harbour " + os.urandom(2_000).hex() for _ in range(500)])
    sys.exit("a batch fitted on a full disk")
except milepost.MilepostError:
    pass
assert memory.health().count == stored, (memory.health(), stored)
if ballast != "none":
    os.unlink(ballast)
else:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
name = memory.store("the harbour has room again")
found = {m.hash for m in memory.search_iter("harbour", min_score=0)}
assert name in found and len(found) == stored + 1, (len(found), stored)
memory.close()
with milepost.connect(path) as again:
    assert again.health().count == stored + 1
    assert len({m.hash for m in again.search_iter("harbour", min_score=0)}) == stored + 1
"""

LIMITED = (
    "import resource\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, resource.RLIM_INFINITY))\n"
)


@needs_linux
def test_a_file_that_may_not_grow_gives_a_clear_error_and_loses_nothing(
    path: Path, run_python: RunPython
) -> None:
    told = run_python(LIMITED + FILLING, path, "none").stdout

    assert told.startswith("StoreUnavailable ")
    assert_sound(path)


@needs_linux
def test_a_full_disk_gives_a_clear_error_and_loses_nothing(
    mounted: Callable[[str], Path], run_python: RunPython
) -> None:
    small_disk = mounted("size=4m")
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(2_500_000))

    told = run_python(FILLING, small_disk / "m.db", ballast).stdout

    assert told.startswith("StoreUnavailable ")
    assert "full" in told
    assert_sound(small_disk / "m.db")


READ_ONLY = """
import os, sys
import milepost
folder, other = sys.argv[1], sys.argv[2]
# All modules are loaded before the rights to read them are given up.
with milepost.connect(other) as memory:
    memory.store("harbour")
    memory.search("harbour")
    memory.health()
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for name in ("new.db", "m.db"):
    try:
        memory = milepost.connect(f"{folder}/{name}")
        memory.store("a fact")
        sys.exit("a store in a read-only folder was written")
    except milepost.StoreUnavailable as problem:
        print(problem)
"""


@needs_linux
def test_a_folder_that_may_not_be_written_gives_a_clear_error(
    tmp_path: Path, run_python: RunPython
) -> None:
    folder = tmp_path / "locked"
    with milepost.connect(folder / "m.db") as memory:
        memory.store("harbour")
    for above in (tmp_path, *tmp_path.parents[:2]):
        if above.stat().st_uid == os.getuid():
            above.chmod(0o755)
    folder.chmod(0o555)
    try:
        told = run_python(READ_ONLY, folder, tmp_path / "other.db").stdout.splitlines()
    finally:
        folder.chmod(0o755)

    assert len(told) == 2
    assert all(str(folder) in line for line in told)
    with milepost.connect(folder / "m.db") as memory:
        assert memory.health().count == 1
