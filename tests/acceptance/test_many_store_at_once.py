"""Threads that store at the same time share transactions, and each gets what is its own."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import Popen
from threading import Barrier

import pytest

import milepost
from milepost import InvalidInput, Milepost
from milepost.deadline import working_until
from milepost.errors import OutOfTime

THREADS = 16


@pytest.fixture(params=["file", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "memories.db")
    named: str = request.getfixturevalue("postgres_url")
    return named


def together(memory: Milepost, work: Callable[[int], object]) -> list[object]:
    """Let as many threads as there are work at once; return what each got, or its error."""
    barrier = Barrier(THREADS)

    def run(number: int) -> object:
        barrier.wait()
        try:
            return work(number)
        except milepost.MilepostError as problem:
            return problem

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def test_one_that_is_refused_fails_no_other(url: str) -> None:
    with milepost.connect(url) as memory:

        def store(number: int) -> str:
            here = memory.within(f"space {number % 3}")
            if number == 5:
                return here.store("replaces what is not there", supersedes="0123456789")
            if number == 6:
                return here.store(" ")
            return here.store(f"berth {number} is free", tags=[f"t{number}"])

        for _ in range(4):
            told = together(memory, store)

            assert isinstance(told[5], milepost.NotFound)
            assert isinstance(told[6], InvalidInput)
            for number, name in enumerate(told):
                if number not in (5, 6):
                    stored = memory.within(f"space {number % 3}").get(str(name))
                    assert stored.content == f"berth {number} is free"
                    assert stored.tags == (f"t{number}",)


def test_the_same_text_from_all_is_one_memory_with_all_their_tags(url: str) -> None:
    with milepost.connect(url) as memory:
        told = together(memory, lambda number: memory.store("the tide", tags=[f"t{number}"]))

        assert len(set(told)) == 1
        assert memory.health().count == 1
        assert memory.get(str(told[0])).tags == tuple(sorted(f"t{i}" for i in range(THREADS)))


def test_each_says_it_for_itself(url: str) -> None:
    with milepost.connect(url) as memory:

        def store(number: int) -> str:
            return memory.store(f"pier {number} is long", author=f"a{number}", project=f"p{number}")

        for number, name in enumerate(together(memory, store)):
            stored = memory.get(str(name))
            assert (stored.author, stored.project) == (f"a{number}", f"p{number}")


def test_who_has_no_time_left_stores_nothing_and_holds_nobody_up(url: str) -> None:
    with milepost.connect(url) as memory:
        memory.store("the harbour is open")

        def store(number: int) -> str:
            if number % 4 == 0:
                with working_until(time.monotonic() - 1):
                    return memory.store(f"late {number}")
            return memory.store(f"in time {number}")

        told = together(memory, store)

        assert [isinstance(each, OutOfTime) for each in told] == [
            i % 4 == 0 for i in range(THREADS)
        ]
        assert memory.health().count == 1 + THREADS * 3 // 4


def test_what_they_may_replace_is_told_at_once(url: str) -> None:
    with milepost.connect(url) as memory:
        subjects = [f"{word} gate" for word in "amber birch cedar delta ember fjord grove".split()]
        older = [memory.store(f"The {subject} timeout is 10 seconds") for subject in subjects]

        def store(number: int) -> tuple[str, ...]:
            subject = subjects[number % len(subjects)]
            name = memory.store(f"The {subject} timeout is {20 + number} seconds")
            return memory.get(name).suggestions

        for number, told in enumerate(together(memory, store)):
            assert any(f"may replace {older[number % len(older)]}" in each for each in told)


STORING = """
import sys, threading, milepost
memory = milepost.connect(sys.argv[1])
memory.store("the first")
print("ready", flush=True)

def work(thread):
    for i in range(100_000):
        name = memory.within(f"s{i % 3}").store(f"harbour {thread} {i}")
        sys.stdout.write(f"s{i % 3} {name}\\n")
        sys.stdout.flush()

for thread in range(16):
    threading.Thread(target=work, args=(thread,)).start()
"""


@pytest.mark.slow
def test_nothing_that_was_told_is_lost_when_the_process_is_killed(
    url: str, start_python: Callable[..., Popen[str]]
) -> None:
    process = start_python(STORING, url)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    lines = [process.stdout.readline() for _ in range(200)]
    os.kill(process.pid, signal.SIGKILL)
    rest = process.communicate()[0].splitlines(keepends=True)
    told = [line.split() for line in (*lines, *rest) if line.endswith("\n")]

    with milepost.connect(url) as memory:
        for space, name in told:
            assert memory.within(space).get(name).content.startswith("harbour ")
        assert memory.store("the next") == memory.search("the next").memories[0].hash
