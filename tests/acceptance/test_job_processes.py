"""Work that was put off is done once in effect, by whoever lives to do it."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

import milepost
from milepost import Milepost
from milepost.opening import open_context, settings_for
from milepost.surfaces.cli import main
from milepost.upkeep.jobs import LEASE_S, Worker
from support import PATIENCE_S, RunPython, StartPython, wait_until

EPISODES = 24

LIVE = """
import sys, milepost
memory = milepost.connect(sys.argv[1])
memory.worker.close()
for i in range(int(sys.argv[2])):
    name = memory.create_episode("fix the login", id=f"e{i}")
    memory.add_step(name, "bash", "pytest", observation="ImportError: no x", success=False)
    memory.add_step(name, "bash", "pip install x", observation="ok")
    memory.add_step(name, "bash", "pytest", observation="3 passed")
    memory.complete_episode(name, "success")
"""

WORK = """
import sys, milepost
from milepost.opening import open_context, settings_for
memory = milepost.connect(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
print(memory.run_jobs())
"""

# Dies at a point of the first job that it runs: before its work is written, or after that and
# before the job is forgotten.
DIE = """
import os, signal, sys, milepost
from milepost.storage.tables.jobs import JobTable
from milepost.storage.tables.patterns import PatternTable

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(PatternTable if sys.argv[2] == "learn" else JobTable, sys.argv[2], die)
milepost.connect(sys.argv[1]).run_jobs()
"""


def lived(path: Path, run_python: RunPython, count: int = EPISODES) -> None:
    run_python(LIVE, path, count)


def held(memory: Milepost) -> dict[str, int]:
    """Return how often each kind of pattern is said to have held."""
    return {found.kind: found.successes for found in memory.list_patterns(limit=99).patterns}


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock go on until every claim has ended."""
    from milepost.opening import now

    monkeypatch.setattr("milepost.opening.now", lambda: now() + int((LEASE_S + 1) * 1e6))


def test_the_worker_does_what_is_due_by_itself(path: Path, run_python: RunPython) -> None:
    lived(path, run_python, 2)

    with milepost.connect(path) as memory:
        memory.worker.wake()
        wait_until(lambda: memory.list_patterns().total)


def test_several_processes_share_the_work_and_count_each_episode_once(
    path: Path, run_python: RunPython, start_python: StartPython
) -> None:
    lived(path, run_python)
    workers = [start_python(WORK, path) for _ in range(3)]
    for worker in workers:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin
        worker.stdin.write("\n")
        worker.stdin.flush()
    done = [int(worker.communicate(timeout=120)[0]) for worker in workers]

    assert sum(done) == EPISODES
    with milepost.connect(path) as memory:
        assert held(memory)["recovery"] == EPISODES


@pytest.mark.parametrize("moment", ["learn", "finish"])
def test_a_worker_that_is_killed_loses_and_doubles_nothing(
    path: Path,
    run_python: RunPython,
    start_python: StartPython,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    lived(path, run_python, 3)
    for _ in range(2):
        killed = start_python(DIE, path, moment)
        killed.communicate(timeout=120)
        assert killed.returncode < 0

    later(monkeypatch)
    with milepost.connect(path) as memory:
        assert memory.run_jobs() == 3
        assert held(memory)["recovery"] == 3
        assert memory.run_jobs() == 0


def test_what_is_claimed_by_the_living_is_left_to_them(
    path: Path, run_python: RunPython, start_python: StartPython
) -> None:
    lived(path, run_python, 1)
    start_python(DIE, path, "finish").communicate(timeout=120)

    with milepost.connect(path) as memory:
        assert memory.run_jobs() == 0


def test_work_that_fails_is_listed_with_its_reason_and_can_be_revived(
    path: Path,
    run_python: RunPython,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lived(path, run_python, 1)
    from milepost.opening import now

    def commanded(*words: str) -> str:
        assert main([*words, "--url", str(path), "--log-level", "error"]) == 0
        return capsys.readouterr().out

    with monkeypatch.context() as broken:

        def fail(*_: object) -> list[str]:
            raise ValueError("no luck today")

        broken.setattr("milepost.experience.learning.learn_from", fail)
        for hours in range(8):
            broken.setattr("milepost.opening.now", lambda at=hours: now() + at * 3_600_000_000)
            commanded("jobs", "run")
    dead = commanded("jobs", "list", "--state", "dead")
    assert "e0" in dead
    assert "ValueError: no luck today" in dead

    assert "would let 1 job be tried again" in commanded("jobs", "retry", "--dry-run")
    assert "1 job will be tried again" in commanded("jobs", "retry")
    assert "1 job run" in commanded("jobs", "run")
    assert "e0" not in commanded("jobs", "list")
    with milepost.connect(path) as memory:
        assert held(memory)["recovery"] == 1


def test_a_worker_that_was_stopped_starts_no_more(path: Path) -> None:
    with closing(open_context(settings_for(path)).store) as store:
        store.jobs.enqueue("s", "work", "a", "", 0)
        worker = Worker(lambda: {"work": lambda job: None}, store, lambda: 1)
        worker.close()
        worker.wake()

        assert [job.state for job in store.jobs.list("s", None, 9)] == ["waiting"]


@pytest.mark.slow
def test_the_worker_outlives_a_store_that_is_busy_for_a_while(path: Path) -> None:
    tries: list[int] = []

    with closing(open_context(settings_for(path)).store) as store:
        store.jobs.enqueue("s", "work", "a", "", 0)
        done = threading.Event()

        def collect() -> None:
            tries.append(1)
            if len(tries) == 1:
                raise milepost.StoreBusy("somebody writes")

        worker = Worker(lambda: {"work": lambda job: done.set()}, store, lambda: 1, collect)
        worker.wake()
        assert done.wait(PATIENCE_S)
        worker.close()
    assert len(tries) > 1
