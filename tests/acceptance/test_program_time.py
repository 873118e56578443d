"""One deadline holds for a program, for all that it calls and for the skills that it saves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from milepost import Milepost
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.programs.quotas import Programs

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def filled(memory: Milepost) -> Milepost:
    memory.store_batch([f"deploy number {i} " + "went well " * 20 for i in range(3_000)])
    return memory


@pytest.mark.parametrize(
    "call",
    [
        "list(search_iter('deploy', min_score=0))",
        "search('deploy', limit=10_000, min_score=0)",
        "search_by_tag('none')",
        "recall('deploy', limit=10_000)",
        "query_memory('deploy')",
        "health()",
    ],
)
def test_time_in_what_a_program_calls_counts(filled: Milepost, call: str) -> None:
    done = filled.execute_code(f"while True:\n try: {call}\n except Exception: pass", timeout_s=0.5)

    assert "took longer than 0.5 s" in str(done.error) or "may " in str(done.error)
    stats = filled.program_endings
    assert sum(stats.values()) == 1


def test_the_error_names_what_took_the_time(filled: Milepost) -> None:
    done = filled.execute_code(
        "while True: len(list(search_iter('deploy', min_score=0)))", timeout_s=1
    )

    assert "The program took longer than 1 s, of which " in str(done.error)
    assert "s in search_iter. Do less in one run" in str(done.error)


def test_a_write_that_runs_out_of_time_leaves_nothing(memory: Milepost) -> None:
    many = "[f'fact {i} ' + 'of some length ' * 20 for i in range(5_000)]"
    done = memory.execute_code(f"store_batch({many})", timeout_s=0.3)

    assert "took longer than" in str(done.error)
    assert memory.health().count == 0
    assert memory.store("the store works as before")


def test_a_program_does_not_wait_for_another_process_that_writes(path: Path) -> None:
    with open_memory(settings_for(path)) as memory:
        memory.execute_code("1")
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(memory._context.part(Programs).runner.status)
            assert running.result().available
            # The run ends by its own deadline; only then is the other's transaction over, for
            # which the record of the run waits.
            done = pool.submit(memory.execute_code, "store('x')", timeout_s=0.3)
            while not memory.program_endings["timeout"]:
                assert not done.done()
            other.execute("ROLLBACK")
            assert "0.3 s" in str(done.result().error)
        other.close()
        assert memory.health().count == 0


def test_one_call_may_not_be_given_too_much(memory: Milepost) -> None:
    done = memory.execute_code("store_batch([str(i) for i in range(20_000)])")

    assert "a program may give 5,000 items in one call, not 20,000" in str(done.error)


def test_tests_of_skills_run_in_the_time_of_the_program_that_saves_them(memory: Milepost) -> None:
    done = memory.execute_code(
        "for i in range(20):\n"
        " save_skill(f's{i}', f'def s{i}(): ...', 'waits', test='while True: len(str())')",
        timeout_s=1,
    )

    assert done.output.count("not kept") == 20
    assert "no time was left to test it" in done.output
    # The program itself and the tests that began.
    assert sum(memory.program_endings.values()) <= 3


def test_a_program_saves_a_few_skills_at_most(memory: Milepost) -> None:
    done = memory.execute_code(
        "for i in range(1_000): save_skill(f's{i}', f'def s{i}(): ...', f'does {i}')"
    )

    assert "may save 20 skills" in str(done.error)


def test_large_memories_are_not_all_read_at_once(memory: Milepost) -> None:
    import resource

    for i in range(80):
        memory.store(f"deploy {i} " + "x" * 900_000, tags=["large"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = memory.execute_code("search_by_tag('large', limit=10_000).total", timeout_s=60)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert done.output == "80"
    # In kilobytes; the texts together have 72 MB.
    assert after - before < 55_000
