"""Answers that are given again: the same in every way, and never once anything has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from git_repository import Repository
from milepost.app import Milepost, open_memory
from milepost.codec import to_data
from milepost.errors import NotFound
from milepost.memory.hot_reads import KEPT_S, HotReads
from milepost.opening import settings_for
from milepost.ports import CacheUse
from milepost.testing import Clock
from milepost.workspace.values import Place
from support import StartPython

QUESTION = "when does the deploy key rotate?"
FACT = "The deploy key rotates on Mondays"


@pytest.fixture
def memory(path: Path) -> Iterator[Milepost]:
    """A memory that several ask, with a few facts."""
    with open_memory(settings_for(path)) as opened:
        opened.share()
        opened.store_batch([FACT, "The smoke test runs for ten minutes", "Backups are taken daily"])
        yield opened


def hits(memory: Milepost) -> int:
    return memory.cache_uses["answers"].hits


def texts(memory: Milepost, question: str = QUESTION) -> list[str]:
    return [row.preview for row in memory.search(question)]


def test_what_is_asked_again_is_answered_the_same(memory: Milepost) -> None:
    for ask in (
        lambda: memory.search(QUESTION),
        lambda: memory.search(QUESTION, limit=1, tags=[], budget=60),
        lambda: memory.recall("which key rotates this year?"),
        lambda: memory.search("a word that nobody said: xylophone"),
    ):
        before = hits(memory)
        first, again = ask(), ask()
        assert hits(memory) == before + 1
        assert again == first
        assert (str(again), to_data(again)) == (str(first), to_data(first))
        assert [row.content for row in again] == [row.content for row in first]


def test_whoever_asks_otherwise_is_answered_otherwise(memory: Milepost) -> None:
    memory.search(QUESTION)
    for ask in (
        lambda: memory.search(QUESTION, limit=1),
        lambda: memory.search(QUESTION, min_score=0.9),
        lambda: memory.search(QUESTION, kind="decision"),
        lambda: memory.search(QUESTION, include_superseded=True),
        lambda: memory.search(QUESTION, as_of="2020-01-01"),
        lambda: memory.search(QUESTION, min_trust="user"),
        lambda: memory.search(QUESTION, after="yesterday"),
        lambda: memory.recall(QUESTION),
    ):
        ask()
        assert hits(memory) == 0


def test_a_space_is_never_answered_with_what_another_knows(memory: Milepost) -> None:
    assert FACT in texts(memory)
    others = memory.within("other")
    assert texts(others) == []
    others.store("The deploy key rotates on Fridays")
    assert texts(others) == ["The deploy key rotates on Fridays"]
    assert texts(memory)[0] == FACT
    assert hits(memory) == 1


def test_who_works_elsewhere_is_told_whose_it_is(memory: Milepost) -> None:
    shop, bank = (memory.within(place=Place(name, None)) for name in ("shop", "bank"))
    shop.store("The deploy key of the shop rotates on Tuesdays", project="shop")

    for _ in range(2):
        assert [row.mark for row in shop.search(QUESTION)] == ["", ""]
        assert [row.mark for row in bank.search(QUESTION)] == ["", "in shop"]
    assert hits(memory) == 2


def replaced(memory: Milepost) -> None:
    (row,) = memory.search(FACT, limit=1)
    memory.update(row.hash, content="The deploy key rotates on Thursdays")


CHANGES: dict[str, Callable[[Milepost], object]] = {
    "store": lambda m: m.store("The deploy key rotates twice in May"),
    "update": replaced,
    "tags": lambda m: m.update(m.search(FACT, limit=1)[0].hash, tags=["key"]),
    "delete": lambda m: m.delete(m.search(FACT, limit=1)[0].hash),
    "erase": lambda m: m.delete(m.search(FACT, limit=1)[0].hash, erase=True),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_at_once_and_so_is_its_undoing(change: str, memory: Milepost) -> None:
    before = to_data(memory.search(QUESTION))
    CHANGES[change](memory)
    after = to_data(memory.search(QUESTION))
    assert after != before
    assert to_data(memory.search(QUESTION)) == after
    if change not in ("store", "erase"):
        memory.undo()
        assert to_data(memory.search(QUESTION)) == before


def test_what_is_only_noted_beside_changes_nothing(memory: Milepost) -> None:
    memory.search(QUESTION)
    memory.record_event("test", "ran", wait=True)
    memory.create_episode("rotate the key")
    memory.within("other").store("another fact")
    memory.search(QUESTION)
    assert hits(memory) == 1


SUBJECTS = ("deploy key", "smoke test", "backup", "harbour", "invoice")


class Walk:
    """Changes two spaces at random, by whoever keeps nothing."""

    def __init__(self, memory: Milepost, seed: int) -> None:
        self._memory, self._random = memory, Random(seed)
        self._names: dict[str, list[str]] = {"default": [], "team": []}

    def step(self, number: int) -> None:
        space, subject = self._random.choice(list(self._names)), self._random.choice(SUBJECTS)
        memory, names = self._memory.within(space), self._names[space]
        known = self._random.choice(names) if names else None
        with suppress(NotFound):  # what another step deleted
            match self._random.randrange(8):
                case 0 | 1:
                    names.append(memory.store(f"The {subject} is run on day {number}"))
                case 2 if known:
                    names.append(memory.store(f"Now {subject} is {number}", supersedes=known))
                case 3 if known:
                    memory.update(known, tags=[f"tag{number % 3}"])
                case 4 if known:
                    memory.delete(known, erase=bool(number % 2))
                case 5:
                    memory.undo()
                case 6:
                    memory.consolidate()
                case 7:
                    memory.complete_episode(memory.create_episode(f"run the {subject}"), "success")


@pytest.mark.slow
def test_whatever_is_written_the_answer_is_that_of_who_keeps_nothing(url: str) -> None:
    with open_memory(settings_for(url)) as served, open_memory(settings_for(url)) as other:
        served.share()
        assert served.search("?!").total == 0
        walk = Walk(other, seed=7)
        for number in range(120):
            for space in ("default", "team"):
                for subject in SUBJECTS[number % 2 :: 2]:
                    question = f"when is the {subject} run?"
                    kept, fresh = (m.within(space).search(question) for m in (served, other))
                    assert to_data(kept) == to_data(fresh), (number, space, question)
            walk.step(number)
        assert hits(served) > 120


OTHER_PROCESS = """
import sys, milepost
with milepost.connect(sys.argv[1]) as memory:
    print("ready", flush=True)
    for line in sys.stdin:
        number = int(line)
        if number % 2:
            memory.delete(memory.search("which number was said", limit=1)[0].hash)
        else:
            memory.store(f"The number {number} was said")
        print("done", flush=True)
"""


def test_what_another_process_stores_or_deletes_is_seen_at_once(
    memory: Milepost, path: Path, start_python: StartPython
) -> None:
    other = start_python(OTHER_PROCESS, path)
    assert other.stdin is not None
    assert other.stdout is not None
    assert other.stdout.readline() == "ready\n"
    question = "which number was said"
    for number in range(40):
        memory.search(question)
        other.stdin.write(f"{number}\n")
        other.stdin.flush()
        assert other.stdout.readline() == "done\n"
        expected = [] if number % 2 else [f"The number {number} was said"]
        assert texts(memory, question) == expected
        assert texts(memory, question) == expected
    assert hits(memory) == 40 + 39


def test_while_others_write_everyone_sees_what_is_committed(memory: Milepost) -> None:
    """A search that began before a write may be too new, and is never kept as too old."""

    def work(number: int) -> None:
        for turn in range(15):
            text = f"Worker {number} said {turn} about the deploy key"
            name = memory.store(text)
            assert name in {row.hash for row in memory.search(text, limit=20)}
            memory.delete(name)
            assert name not in {row.hash for row in memory.search(text, limit=20)}

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_what_ends_at_a_moment_is_gone_at_that_moment(path: Path, clock: Clock) -> None:
    with open_memory(settings_for(path)) as memory:
        memory.share()
        old = memory.store(FACT)
        clock.advance(days=1)
        later = clock.now.timestamp() + 30
        memory.store("From then on the deploy key rotates daily", supersedes=old, valid_from=later)
        assert FACT in texts(memory)
        assert FACT in texts(memory)
        assert hits(memory) == 1
        clock.advance(seconds=31)
        assert FACT not in texts(memory)


def test_yesterday_is_another_day_tomorrow(path: Path, clock: Clock) -> None:
    with open_memory(settings_for(path)) as memory:
        memory.share()
        memory.store(FACT)
        clock.advance(days=1)
        question = "what was said of the key yesterday?"
        assert [row.preview for row in memory.recall(question)] == [FACT]
        clock.advance(days=1)
        assert [row.preview for row in memory.recall(question)] == []


def test_code_that_changes_marks_its_memories_at_once(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    shop = Repository(tmp_path / "shop")
    shop.commit({"money.py": "def total():\n    return 1\n"})
    settings = settings_for(path)._replace(project="")
    with open_memory(settings) as opened:
        opened.share()
        memory, elsewhere = (
            opened.within(place=place) for place in (Place(folder=shop.root), Place("shop", None))
        )
        memory.store("Totals are rounded half up in money.py")
        question = "how are totals rounded?"
        for _ in range(2):
            assert [row.mark for row in elsewhere.search(question)] == [""]
            assert [row.mark for row in memory.search(question)] == [""]
        shop.write("money.py", "def total():\n    return 2\n")
        assert [row.mark for row in memory.search(question)] == ["money.py changed since"]
        assert [row.mark for row in elsewhere.search(question)] == [""]


def test_who_is_asked_by_one_program_alone_keeps_nothing(path: Path) -> None:
    with open_memory(settings_for(path)) as memory:
        memory.store(FACT)
        memory.search(QUESTION)
        memory.search(QUESTION)
        assert memory.cache_uses["answers"] == CacheUse()


def test_it_can_be_switched_off(path: Path) -> None:
    with open_memory(settings_for(path)._replace(cache_mb=0)) as memory:
        memory.share()
        memory.search(QUESTION)
        memory.search(QUESTION)
        assert memory.cache_uses["answers"] == CacheUse()


def test_what_was_not_asked_for_lately_makes_room() -> None:
    hot = HotReads()
    hot.allow(20_000)
    for number in range(50):
        hot.keep(number, 1, bytes(1_000))
        hot.find(0, 1)
        assert hot.use.bytes <= 20_000
    assert hot.find(0, 1) is not None
    assert hot.find(49, 1) is not None
    assert hot.find(30, 1) is None
    assert hot.use.entries == 10
    assert hot.use.evictions == 40
    hot.keep("large", 1, bytes(10_000))
    assert hot.find("large", 1) is None
    hot.keep(0, 2, bytes(10))
    assert hot.find(0, 1) is None
    assert hot.find(0, 2) == bytes(10)


def test_nothing_is_given_again_for_long() -> None:
    now = 0.0
    hot = HotReads(lambda: now)
    hot.allow(20_000)
    hot.keep("a", 1, b"x")
    now = KEPT_S - 1
    assert hot.find("a", 1) == b"x"
    now = KEPT_S + 1
    assert hot.find("a", 1) is None


def test_health_says_how_much_was_given_again(memory: Milepost) -> None:
    assert memory.health().notes == ()
    for _ in range(4):
        memory.search(QUESTION)
    assert "answers given again: 3 of 4, " in str(memory.health())
