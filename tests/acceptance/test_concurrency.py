"""One memory used from many threads, from a running event loop and from several processes."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

import milepost
from milepost import Milepost

PROCESSES = 8
TIMEOUT_S = 120

WORKER = """
import json, sys
import milepost
import milepost.storage.index.index as index
path, name, (rounds, batch, flush_rows) = sys.argv[1], sys.argv[2], map(int, sys.argv[3:])
index.FLUSH_ROWS = flush_rows
memory = milepost.connect(path)
print("ready", flush=True)
sys.stdin.readline()
mine = [memory.store("the harbour belongs to everyone", tags=[name])]
unseen = []
for i in range(rounds):
    mine.append(memory.store(f"the harbour of {name} has berth {i}", tags=[name]))
    mine += memory.store_batch([f"ship {i} {k} of {name} in the harbour" for k in range(batch)])
    seen = {found.hash for found in memory.search_iter("harbour", min_score=0)}
    unseen += [one for one in mine if one not in seen]
    shown = {found.hash for found in memory.search_by_tag(name, limit=1000).memories}
    unseen += [one for one in mine if memory.get(one).tags and one not in shown]
print(json.dumps([mine, unseen]), flush=True)
"""

FORKED = """
import os, sys
import milepost
memory = milepost.connect(sys.argv[1])
before = memory.store("stored before the fork: harbour")
assert memory.search("harbour").total == 1
children = []
for child in range(4):
    pid = os.fork()
    if pid == 0:
        try:
            mine = [memory.store(f"harbour of child {child}, {i}") for i in range(10)]
            found = {m.hash for m in memory.search_iter("harbour", min_score=0)}
            assert {before, *mine} <= found, "a child does not find its own"
            memory.delete(mine[0])
            os._exit(0)
        except BaseException as problem:
            print(repr(problem), file=sys.stderr)
            os._exit(1)
    children.append(pid)
mine = [memory.store(f"harbour of the parent, {i}") for i in range(10)]
assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
found = [m.hash for m in memory.search_iter("harbour", min_score=0)]
assert len(found) == len(set(found)) == 1 + 10 + 4 * 9, len(found)
assert {before, *mine} <= set(found)
memory.close()
print("good")
"""


def released_together(workers: list[Popen[str]]) -> list[tuple[str, str]]:
    """Let workers go on when all are ready; return what each wrote to its end."""
    for worker in workers:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin
        worker.stdin.write("go\n")
        worker.stdin.flush()
    return [worker.communicate(timeout=TIMEOUT_S) for worker in workers]


@pytest.mark.slow
@pytest.mark.parametrize("url", ["{path}", "memory://"])
def test_eight_threads_store_and_search_one_memory(path: Path, url: str) -> None:
    with milepost.connect(url.format(path=path)) as memory:

        def work(thread: int) -> list[str]:
            mine = []
            for i in range(15):
                mine.append(memory.store(f"harbour {thread} {i}", tags=[f"t{thread}"]))
                memory.store("the harbour of all", tags=[f"t{thread}"])
                shown = {m.hash for m in memory.search_by_tag(f"t{thread}", limit=100).memories}
                assert set(mine) <= shown
                assert memory.search("harbour", min_score=0, limit=3).memories
                assert memory.health().count >= len(mine)
            memory.delete(mine.pop())
            return mine

        with ThreadPoolExecutor(8) as pool:
            stored = [name for mine in pool.map(work, range(8)) for name in mine]

        assert len(set(stored)) == 8 * 14
        found = [m.hash for m in memory.search_iter("harbour", min_score=0)]
        assert len(found) == len(set(found)) == 8 * 14 + 1
        assert memory.search_by_tag("t3").total == 15


def test_the_module_functions_may_be_used_from_many_threads_at_once(default_memory: Path) -> None:
    def work(thread: int) -> str:
        name: str = milepost.store(f"harbour {thread}")
        assert milepost.search("harbour", min_score=0).memories
        return name

    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(work, range(16)))

    assert len(set(names)) == milepost.health().count == 16


def test_everything_works_inside_a_running_event_loop(memory: Milepost) -> None:
    async def agent() -> int:
        name = memory.store("the harbour opens at six")
        assert memory.search("harbour").memories[0].hash == name
        assert memory.recall("harbour today").memories
        many = [asyncio.to_thread(memory.store, f"harbour {i}") for i in range(20)]
        assert len(set(await asyncio.gather(*many))) == 20
        return memory.health().count

    assert asyncio.run(agent()) == 21


@pytest.mark.parametrize(
    ("rounds", "batch", "flush_rows"),
    [(8, 3, 16), (6, 14, 512)],
    ids=["index files are written all the time", "index files are written as usual"],
)
def test_eight_processes_write_and_search_one_file(
    path: Path, start_python: Callable[..., Popen[str]], rounds: int, batch: int, flush_rows: int
) -> None:
    # Takes several seconds: eight interpreters start and work on two cores.
    workers = [
        start_python(WORKER, path, f"worker{i}", rounds, batch, flush_rows)
        for i in range(PROCESSES)
    ]
    told = released_together(workers)
    assert [(worker.returncode, err) for worker, (_, err) in zip(workers, told, strict=True)] == [
        (0, "")
    ] * PROCESSES
    results = [json.loads(out) for out, _ in told]
    acknowledged = {name for mine, _ in results for name in mine}

    assert len(acknowledged) == PROCESSES * rounds * (batch + 1) + 1
    with milepost.connect(path) as memory:
        found = [m.hash for m in memory.search_iter("harbour", min_score=0)]
        assert memory.health().count == len(acknowledged)
        assert len(found) == len(set(found))
        assert set(found) == acknowledged
        (shared,) = memory.search("the harbour belongs to everyone", 1).memories
        assert shared.tags == tuple(f"worker{i}" for i in range(PROCESSES))
    assert [unseen for _, unseen in results] == [[]] * PROCESSES


def test_processes_that_open_a_new_file_at_once_all_succeed(
    path: Path, start_python: Callable[..., Popen[str]]
) -> None:
    script = (
        "import sys, milepost.app; print('ready', flush=True); sys.stdin.readline();"
        "milepost.connect(sys.argv[1]).store(f'harbour {sys.argv[2]}')"
    )
    workers = [start_python(script, path, i) for i in range(6)]
    told = released_together(workers)

    assert [err for _, err in told] == [""] * 6
    with milepost.connect(path) as memory:
        assert memory.health().count == 6


def test_processes_may_delete_at_once(path: Path, start_python: Callable[..., Popen[str]]) -> None:
    with milepost.connect(path) as memory:
        names = memory.store_batch([f"harbour {i}" for i in range(160)])
        script = (
            "import sys, milepost\n"
            "memory = milepost.connect(sys.argv[1])\n"
            "print('ready', flush=True); sys.stdin.readline()\n"
            "for name in sys.argv[2:]: assert memory.delete(name).hashes == (name,)\n"
        )
        workers = [start_python(script, path, *names[i * 40 : i * 40 + 30]) for i in range(4)]
        told = released_together(workers)

        assert [err for _, err in told] == [""] * 4
        assert memory.health().count == memory.search("harbour", min_score=0).total == 40


def test_what_one_process_deletes_another_no_longer_finds(
    path: Path, run_python: Callable[..., CompletedProcess[str]]
) -> None:
    with milepost.connect(path) as memory:
        names = memory.store_batch([f"harbour {i}" for i in range(30)])
        assert memory.search("harbour", min_score=0).total == 30
        run_python(
            "import sys, milepost; m = milepost.connect(sys.argv[1]);"
            "m.delete_batch(sys.argv[2:]); m.store('harbour of another')",
            path,
            *names[:10],
        )

        found = {m.hash for m in memory.search_iter("harbour", min_score=0)}

        assert found.isdisjoint(names[:10])
        assert len(found) == 21
        assert memory.health().count == 21


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fork is used on Linux")
def test_a_memory_may_be_used_on_both_sides_of_a_fork(
    path: Path, run_python: Callable[..., CompletedProcess[str]]
) -> None:
    assert run_python(FORKED, path).stdout == "good\n"

    with milepost.connect(path) as memory:
        assert memory.health().count == 1 + 10 + 4 * 9
