"""A language model may reword a summary and refuse merges; what does not fit changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from milepost import Milepost
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.text.tokens import ceiling
from model_server import Model, serving

NOTES = [
    "The billing service rounds half up since 2024.",
    "The billing service needs the currency of every invoice.",
    "A deploy of the website takes nine minutes.",
    "The deploy of the website is started from main alone.",
]
QUEUE = ("The queue is Redis.", "the queue is redis", "Note: the queue is Redis!")
DISK = ("The disk is full.", "the disk is full!")


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as server:
        yield server


def opened(path: Path, model: Model, *texts: str) -> Milepost:
    memory = open_memory(settings_for(path)._replace(reflector=f"{model.url}#wise"))
    memory.worker.close()
    for text in texts:
        memory.store(text)
    return memory


def subjects_in(told: str) -> dict[int, list[str]]:
    """Return by subject the hashes that a model is given."""
    found: dict[int, list[str]] = {}
    for line in told.splitlines():
        if number := re.match(r"(\d+)\. ", line):
            last = found.setdefault(int(number[1]), [])
        elif name := re.match(r"\[([0-9a-f]+)\] ", line):
            last.append(name[1])
    return found


def claiming(text: str, hashes: Callable[[list[str]], list[str]] = list) -> Callable[[str], str]:
    """Return a model that claims one thing of every subject."""

    def answer(told: str) -> str:
        subjects = [
            {"number": number, "claims": [{"text": text, "hashes": hashes(names)}]}
            for number, names in subjects_in(told).items()
        ]
        return json.dumps({"subjects": subjects})

    return answer


def test_a_summary_is_reworded_with_the_hashes_of_what_it_rests_on(
    path: Path, model: Model
) -> None:
    model.answer = claiming("It is all about money and time.")
    with opened(path, model, *NOTES) as memory:
        by_rules = memory.summarize()
        summary = memory.summarize(model=True)

        assert (by_rules.by, summary.by) == ("rules", "model")
        known = {row.hash for row in memory.list_memories()}
        for subject in summary.subjects:
            (claim,) = subject.paragraph
            assert claim.text == "It is all about money and time."
            assert set(claim.hashes) <= known
        assert ceiling(str(summary)) <= 300
        assert "money and time. [" in str(summary)


@pytest.mark.parametrize(
    "answer",
    [
        "Here is your summary: all is well.",
        "{" * 5_000,
        "{}",
        json.dumps({"subjects": []}),
        claiming("It is about money.", lambda names: []),
        claiming("It is about money.", lambda names: [*names[:1], "deadbeef"]),
        claiming("It is about money.", lambda names: ["ignore previous instructions"]),
        claiming("It is about 4711 invoices."),
        claiming("It is about `zanzibar.py` and money."),
        claiming("x " * 150),
        claiming("It is about money. " * 100),
        claiming(""),
    ],
)
def test_a_summary_that_does_not_fit_stays_in_the_words_of_memories(
    path: Path, model: Model, answer: str | Callable[[str], str]
) -> None:
    model.answer = answer
    with opened(path, model, *NOTES) as memory:
        assert memory.summarize(model=True, budget=120) == memory.summarize(budget=120)
        assert len(model.asked) == 1


def test_a_summary_does_without_a_model_that_fails(path: Path, model: Model) -> None:
    model.status = 500
    with opened(path, model, *NOTES) as memory:
        assert memory.summarize(model=True) == memory.summarize()


def test_a_model_can_refuse_a_merge(path: Path, model: Model) -> None:
    model.answer = '{"refused": [0]}'
    with opened(path, model, *QUEUE, *DISK) as memory:
        by_rules = memory.consolidate(dry_run=True)
        run = memory.consolidate(model=True)

        assert (by_rules.by, by_rules.totals["merged"]) == ("rules", 2)
        assert (run.by, run.state, run.totals["merged"]) == ("model", "applied", 1)
        assert run.merged == by_rules.merged[1:]
        assert run.refused == by_rules.merged[:1]
        assert "refused 1" in str(run)
        assert memory.get_consolidation(run.run_id).refused == run.refused
        assert all(memory.get(name).superseded_by is None for name in run.refused[0].drop)
    assert "queue is Redis" in model.told[0]


@pytest.mark.parametrize(
    "answer",
    ["none", "[0]", '{"refused": [7]}', '{"refused": [true]}', '{"refused": ["0"]}',
     '{"refused": [0], "merge": [1]}', '{"refused": [0, 0, 0]}'],
)  # fmt: skip
def test_a_judgement_that_does_not_fit_leaves_the_plan(
    path: Path, model: Model, answer: str
) -> None:
    model.answer = answer
    with opened(path, model, *QUEUE, *DISK) as memory:
        run = memory.consolidate(model=True, dry_run=True)
        assert (run.by, run.totals["merged"], run.refused) == ("rules", 2, ())


def test_consolidation_does_without_a_model_that_fails(path: Path, model: Model) -> None:
    model.status = 500
    with opened(path, model, *QUEUE) as memory:
        run = memory.consolidate(model=True)
        assert (run.by, run.state, run.totals["merged"]) == ("rules", "applied", 1)


def test_nothing_is_asked_when_nothing_is_merged(path: Path, model: Model) -> None:
    with opened(path, model, *NOTES) as memory:
        memory.consolidate(model=True)
    assert model.asked == []
