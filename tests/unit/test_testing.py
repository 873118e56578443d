"""What Milepost offers to the tests of others does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

import milepost
from milepost import Milepost
from milepost.testing import Clock, Disk, connect_apart, episodes, histories, play
from support import RunPython


def test_a_memory_goes_by_a_clock_that_is_set_by_hand(clock: Clock, memory: Milepost) -> None:
    first = memory.store("The harbour opens at six")
    clock.advance(days=3, hours=1)
    second = memory.store("The harbour closes at nine")

    passed_s = memory.get(second).created - memory.get(first).created
    assert 73 * 3600 < passed_s < 73 * 3600 + 1
    assert [one.hash for one in memory.search("harbour", after="2 days ago").memories] == [second]


def test_no_two_looks_at_a_clock_are_at_the_same_time() -> None:
    clock = Clock()
    assert len({clock() for _ in range(100)}) == 100


def test_the_same_seed_gives_the_same_past() -> None:
    assert list(histories(3, seed=5)) == list(histories(3, seed=5))
    assert list(episodes(9, seed=5)) == list(episodes(9, seed=5))
    assert len({attempt.task for attempt in episodes(500)}) == 500


def test_a_history_is_what_a_briefing_is_made_of(memory: Milepost) -> None:
    (history,) = histories(1, sessions=4)
    memory.store_batch(history.drafts())

    subjects = [commit["subject"] for commit in history.commits]
    briefing = memory.brief(history.project, None, history.branch, subjects, history.changed)

    assert history.project in str(briefing)
    latest = memory.search("the", project=history.project, after="50 hours ago", min_score=0.0)
    assert latest.total == 6


def test_an_attempt_is_played_to_its_end(memory: Milepost) -> None:
    (attempt,) = episodes(1, length=8)

    found = memory.get_episode(play(memory, attempt))

    assert (found.task, found.outcome, len(found.steps)) == (attempt.task, attempt.outcome, 8)


@pytest.mark.parametrize(("trouble", "words"), [("full", "is full"), ("broken", "Cannot use")])
def test_a_store_outlives_its_disk(path: Path, trouble: str, words: str) -> None:
    with Disk() as disk, milepost.connect(path) as memory:
        memory.store("The harbour opens at six")
        setattr(disk, trouble, True)
        with pytest.raises(milepost.StoreUnavailable, match=words):
            memory.store("The harbour closes at nine")
        assert memory.search("harbour").total == 1
        setattr(disk, trouble, False)
        memory.store("The harbour closes at ten")

    with milepost.connect(path) as memory:
        assert memory.search("harbour").total == 2


def test_who_connects_apart_has_a_store_of_his_own(path: Path) -> None:
    with milepost.connect(path) as one, connect_apart(path) as other:
        one.store("The harbour opens at six")
        assert one._context.store is not other._context.store
        assert other.search("harbour").total == 1


FIXTURES = """
import os

def test_it(clock, memory):
    assert "MILEPOST_EMBEDDER" not in os.environ
    clock.advance(days=400)
    assert memory.get(memory.store("in another year")).created > 1_790_000_000
"""


def test_the_fixtures_need_no_more_than_their_plugin(
    tmp_path: Path, run_python: RunPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_it.py").write_text(FIXTURES)
    monkeypatch.setenv("MILEPOST_EMBEDDER", "none that there is")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    arguments = ["-p", "milepost.testing.plugin", "-p", "no:cacheprovider", str(tmp_path)]

    run_python(f"import pytest, sys; sys.exit(pytest.main({arguments}))")


def test_importing_it_loads_nothing_heavy(run_python: RunPython) -> None:
    script = "import sys, milepost.testing\nprint(*sys.modules)"
    loaded = set(run_python(script).stdout.split())
    assert loaded.isdisjoint({"numpy", "msgspec", "pytest", "milepost.app"})
