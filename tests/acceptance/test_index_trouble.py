"""Whatever happens to the files of the index, search finds what is stored, and health tells."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import milepost
from milepost import Milepost
from milepost.storage import maintenance
from milepost.storage.index import index as search_index
from milepost.storage.index.arrays import ArrayFile
from milepost.storage.sqlite import upkeep

RunPython = Callable[..., CompletedProcess[str]]


def found(memory: Milepost, query: str = "harbour") -> set[str]:
    return {one.hash for one in memory.search_iter(query, min_score=0)}


def files_of(path: Path, pattern: str = "*.segment") -> list[Path]:
    return sorted(Path(f"{path}.index").glob(pattern))


def flip(file: Path, bit: int) -> None:
    content = bytearray(file.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)


@pytest.fixture
def indexed(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of 120 memories whose index is on disk."""
    monkeypatch.setattr(search_index, "FLUSH_ROWS", 50)
    with milepost.connect(path) as memory:
        for i in range(2):
            memory.store_batch(
                [
                    {"content": f"harbour {i} berth {k}", "tags": ["port"], "session": f"s{k % 7}"}
                    for k in range(60)
                ]
            )
            memory.search("harbour")
    assert files_of(path)
    return path


# Files that cannot be written.

BLIND = """
import os, resource, sys, time
from pathlib import Path
import milepost
from milepost.storage.index import index
index.RETRY_S = 0.0
path, trouble = sys.argv[1], sys.argv[2]
memory = milepost.connect(path)
memory.store_batch([f"harbour {i}" for i in range(300)])
def count():
    return len({m.hash for m in memory.search_iter("harbour", min_score=0)})
assert count() == 300 and memory.health().ready
folder = os.path.dirname(path)
opened = []
if trouble == "disk":
    ballast = os.path.join(folder, "ballast")
    sys.path.insert(0, sys.argv[3])
    from support import fill_disk
    fill_disk(Path(ballast))
elif trouble == "inodes":
    made = []
    try:
        for i in range(100_000):
            made.append(os.path.join(folder, f"n{i}"))
            os.close(os.open(made[-1], os.O_CREAT | os.O_WRONLY))
    except OSError:
        made.pop()
elif trouble == "descriptors":
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, limit[1]))
    try:
        while True:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
index.FLUSH_ROWS = 50
store = memory._context.store
if trouble != "disk":  # on a full disk nothing can be stored
    memory.store_batch([f"harbour more {i}" for i in range(300)])
    total = 600
else:
    store.index.doubt()  # everything is read again, and cannot be written
    total = 300
for _ in range(3):
    assert count() == total, count()
health = memory.health()
print(health)
assert not health.ready or health.status == "degraded", health
assert "index" in str(health)
if trouble == "disk":
    os.unlink(ballast)
elif trouble == "inodes":
    [os.unlink(name) for name in made]
else:
    [os.close(fd) for fd in opened]
memory.store_batch([f"harbour at last {i}" for i in range(60)])
assert count() == total + 60
assert memory.health().status == "healthy", memory.health()
assert [name for name in os.listdir(path + ".index") if name.endswith(".segment")]
memory.close()
with milepost.connect(path) as memory:
    assert count() == total + 60
"""


@pytest.mark.parametrize(
    ("trouble", "options"),
    [("disk", "size=3m"), ("inodes", "size=60m,nr_inodes=60"), ("descriptors", "size=60m")],
)
def test_search_finds_everything_while_the_index_cannot_be_written(
    mounted: Callable[[str], Path], run_python: RunPython, trouble: str, options: str
) -> None:
    run_python(BLIND, mounted(options) / "m.db", trouble, Path(__file__).parents[1])


# Files that were changed.


@pytest.mark.slow
def test_every_flipped_bit_of_the_index_is_noticed(indexed: Path) -> None:
    dice = random.Random(11)
    with milepost.connect(indexed) as memory:
        whole = memory._context.store
        assert upkeep.check_index(whole) == ()
    unnoticed = []
    for _ in range(300):
        file = dice.choice(files_of(indexed, "*.segment") + files_of(indexed, "manifest.json"))
        before, bit = file.read_bytes(), dice.randrange(8 * file.stat().st_size)
        flip(file, bit)
        with milepost.connect(indexed) as memory:
            if not upkeep.check_index(memory._context.store):
                unnoticed.append((file.name, bit))
                file.write_bytes(before)

    assert unnoticed == []
    with milepost.connect(indexed) as memory:
        assert upkeep.check_index(memory._context.store) == ()
        assert len(found(memory)) == 120


COMPARED = (
    "space session position author created valid_from valid_to traits forward_terms term_keys "
    "posting_docs posting_impacts label_keys label_docs place_keys values0 scale0 codes0"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED.split())
def test_the_check_compares_every_column_list_and_vector_with_the_store(
    indexed: Path, name: str
) -> None:
    with milepost.connect(indexed) as memory:
        store = memory._context.store
        segment = max(store.index.segments(), key=len)
        changed = segment.arrays[name].copy()
        changed.reshape(-1).view("u1")[0] ^= 1
        segment.arrays[name] = changed
        if not name.startswith(("values", "scale", "codes")):
            setattr(segment, name, changed)

        assert upkeep.check_index(store) != ()
        assert upkeep.check_index(store) == () or store.index.rebuilt
        assert len(found(memory)) == 120


def test_a_long_lived_process_notices_damage_by_itself_and_tells(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "VERIFY_S", 0.0)
    largest = max(files_of(indexed), key=lambda file: file.stat().st_size)
    flip(largest, 8 * (largest.stat().st_size // 2))

    with milepost.connect(indexed) as memory:
        memory.search("harbour")
        memory.search("harbour")
        for thread in threading.enumerate():
            if thread.name == "milepost-index-check":
                thread.join()

        assert len(found(memory)) == 120
        assert "made again" in str(memory.health())
        assert upkeep.check_index(memory._context.store) != ()
    with milepost.connect(indexed) as memory:
        assert upkeep.check_index(memory._context.store) == ()


@pytest.mark.parametrize(
    "name", "forward_starts forward_terms term_starts posting_docs label_docs place_docs".split()
)
def test_a_list_that_leads_nowhere_is_noticed_when_its_file_is_opened(
    indexed: Path, name: str
) -> None:
    for file in files_of(indexed):
        written = ArrayFile(file, writable=True)
        written.arrays[name][-1] = 1_000_000
        written._view.flush()

    with milepost.connect(indexed) as memory:
        assert len(found(memory)) == 120
        assert "made again" in str(memory.health())


CUT = """
import os, sys
import milepost
from milepost.storage.index import index
index.FLUSH_ROWS = 50
path = sys.argv[1]
memory = milepost.connect(path)
names = {m.hash for m in memory.search_iter("harbour", min_score=0)}
for name in os.listdir(path + ".index"):
    if name.endswith(".segment"):
        os.truncate(os.path.join(path + ".index", name), int(sys.argv[2]))
assert {m.hash for m in memory.search_iter("harbour", min_score=0)} == names
assert memory.search("harbour 1 berth 17", min_score=0).memories
assert "cut short" in str(memory.health())
memory.delete(sorted(names)[0])
memory.close()
with milepost.connect(path) as memory:
    assert len({m.hash for m in memory.search_iter("harbour", min_score=0)}) == len(names) - 1
"""


@pytest.mark.parametrize("left", [0, 100, 4096, 20_000])
def test_a_file_cut_short_under_a_running_process_does_not_end_it(
    indexed: Path, run_python: RunPython, left: int
) -> None:
    run_python(CUT, indexed, left)


def test_a_question_at_fault_costs_no_index(indexed: Path) -> None:
    def fails(_segments: object) -> None:
        raise ValueError("a vector of another width")

    before = files_of(indexed)
    with milepost.connect(indexed) as memory:
        with pytest.raises(ValueError, match="another width"):
            memory._context.store.index.ask(fails)
        assert memory.health().status == "healthy"

    assert files_of(indexed) == before


def test_health_compares_the_index_with_the_store_and_mends_it(indexed: Path) -> None:
    with milepost.connect(indexed) as memory:
        store = memory._context.store
        for segment in store.index.segments():
            segment.kill(segment.ids[:10])
        assert len(found(memory)) < 120

        told = memory.health()

        assert told.status == "degraded"
        assert "of 120 memories" in str(told)
        assert len(found(memory)) == 120


def test_a_check_names_what_the_index_lacks_and_makes_it_again(indexed: Path) -> None:
    with milepost.connect(indexed) as memory:
        for segment in memory._context.store.index.segments():
            segment.kill(segment.ids[:10])

        checked = memory.check_storage()

        assert checked.problems == ()
        assert not checked.ready
        assert len(found(memory)) == 120
        assert memory.check_storage().ready


def test_the_index_of_another_copy_does_not_become_the_stores_by_a_deletion(
    path: Path, tmp_path: Path
) -> None:
    with milepost.connect(path) as memory:
        name = memory.store("harbour")
        maintenance.back_up(str(path), tmp_path / "copy.backup", lambda _done, _total: None)
        memory.store_batch([f"mountain {i}" for i in range(600)])
        memory.search("mountain")
    assert files_of(path)
    maintenance.restore(str(path), tmp_path / "copy.backup", lambda _done, _total: None)

    with milepost.connect(path) as memory:
        lamp = memory.store("the lamp of the lighthouse")
        memory.delete(name)

    with milepost.connect(path) as memory:
        assert [one.hash for one in memory.search("lamp lighthouse").memories] == [lamp]
        assert memory.health().status == "healthy"


@pytest.mark.slow
def test_a_segment_in_the_place_of_another_is_noticed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "FLUSH_ROWS", 50)
    with milepost.connect(path) as memory:
        for words, count in (("harbour", 1000), ("mountain", 200), ("lamp", 60)):
            memory.store_batch([f"{words} {i}" for i in range(count)])
            memory.search(words)
    older, newer, _ = files_of(path)
    newer.write_bytes(older.read_bytes())

    with milepost.connect(path) as memory:
        shown = memory.search_iter("mountain", min_score=0)
        assert sum("mountain" in one.preview for one in shown) == 200
        assert memory.health().status == "degraded"


def test_a_file_overwritten_long_after_it_was_compared_is_compared_again(indexed: Path) -> None:
    with milepost.connect(indexed) as memory:
        index = memory._context.store.index
        memory.search("harbour")
        index._verify_at = float("inf")  # as after the files were compared
        for file in files_of(indexed):
            with file.open("r+b") as opened:
                opened.write(bytes(file.stat().st_size))
            os.utime(file, ns=(0, 0))  # whatever the clock of the file system counts in

        memory.search("harbour")
        for thread in threading.enumerate():
            if thread.name == "milepost-index-check":
                thread.join()

        assert len(found(memory)) == 120
        assert memory.health().status == "degraded"
