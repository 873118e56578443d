"""A memory measures how well it finds what it has, and says when that became less."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import milepost
from milepost.access.retention import Keeping
from milepost.access.values import CALLER, READ, WRITE, Caller
from milepost.app import Milepost, open_memory
from milepost.errors import Forbidden, InvalidInput
from milepost.measuring.questions import used_questions
from milepost.measuring.values import (
    ASKED,
    NO_DIFFERENCE,
    OTHER_WORDS,
    WORD_FOR_WORD,
    WORSE,
)
from milepost.memory.values import CompactSearchResult, Memory
from milepost.opening import settings_for
from milepost.ranking.score import shipped_model
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.model_text import model_text, note_model_text
from ordinary_texts import ordinary_texts

pytestmark = pytest.mark.slow

TEXTS = ordinary_texts(48)
# What is asked for in words, besides.
KEPT = {"lighthouse": "signal lamps", "brewery": "copper valves", "observatory": "telescopes",
        "opera": "violins"}  # fmt: skip
DAY_US = 86_400_000_000
QUESTION = "what does the lighthouse keep?"


@pytest.fixture
def filled(memory: Milepost) -> Milepost:
    kept = [f"The {place} keeps its {things} under the stairs" for place, things in KEPT.items()]
    memory.store_batch([*TEXTS, *kept])
    return memory


def ask(memory: Milepost, question: str, session: str | None = "s1") -> CompactSearchResult:
    """Search as a surface does that hands the answer to a model."""
    result = memory.search(question)
    shown = model_text(time.time(), "search", str(result), result, session)
    note_model_text(memory, shown)
    return result


def fetch(memory: Milepost, name: str, session: str | None = "s1") -> Memory:
    whole = memory.get(name)
    note_model_text(memory, model_text(time.time(), "get", str(whole), whole, session))
    return whole


def used(memory: Milepost) -> list[tuple[str, str]]:
    context = memory._opening()
    context.part(Ledger).flush()
    return [(each.memory, each.text) for each in used_questions(context, 100)]


def test_a_run_says_what_is_found_and_how_sure_that_is(filled: Milepost) -> None:
    report = filled.measure_recall(30)
    own = report.own

    assert own is not None
    assert [row.name for row in report.sources] == [OTHER_WORDS, WORD_FOR_WORD]
    assert [row.questions for row in report.sources] == [30, 30]
    assert report.sources[0].recall < report.sources[1].recall
    assert 0 < own.low <= own.recall <= own.high <= 1
    assert own.mrr <= own.recall
    assert own.tokens > 20
    assert 0 < own.floor <= 1
    assert report.memories == len(TEXTS) + len(KEPT)
    assert report.version == milepost.__version__
    assert [row.name for row in report.kinds] == ["note"]
    assert sum(row.questions for row in report.ages) == 30
    assert report.change is None


def test_the_same_store_measures_the_same(filled: Milepost) -> None:
    first, second = filled.measure_recall(25), filled.measure_recall(25)

    assert first._replace(at=0, change=None) == second._replace(at=0, change=None)
    assert second.change is not None
    assert (second.change.verdict, second.change.questions) == (NO_DIFFERENCE, 50)
    assert (second.change.lost, second.change.gained) == (0, 0)


def test_runs_are_kept_with_the_latest_first_and_survive_the_process(
    filled: Milepost, url: str
) -> None:
    reports = [filled.measure_recall(count) for count in (20, 30)]

    assert filled.measure_history() == reports[::-1]
    assert filled.measure_history(limit=1) == reports[1:]
    with open_memory(settings_for(url)) as again:
        assert again.measure_history() == reports[::-1]


def test_new_memories_do_not_change_which_of_the_old_are_asked_for(filled: Milepost) -> None:
    filled.measure_recall(60)
    filled.store("The ferry to Gotland leaves at seven, and nobody told Sven about that in time")

    change = filled.measure_recall(60).change

    assert change is not None
    assert change.questions == 2 * len(TEXTS)


def test_nothing_but_the_run_is_written(filled: Milepost) -> None:
    before = filled.stats()
    filled.measure_recall(20)

    assert filled.stats()._replace(bytes=0) == before._replace(bytes=0)


def test_an_empty_memory_has_nothing_to_ask(memory: Milepost) -> None:
    report = memory.measure_recall()

    assert (report.own, report.sources, report.memories) == (None, (), 0)
    assert "no memory has a sentence" in str(report)
    assert memory.measure_recall().change is not None


@pytest.mark.parametrize("questions", [0, -1, 10**9, True, "many"])
def test_a_number_of_questions_that_is_none_is_refused(memory: Milepost, questions: object) -> None:
    with pytest.raises(InvalidInput, match="questions"):
        memory.measure_recall(questions)  # type: ignore[arg-type]


def test_only_who_administers_may_measure(memory: Milepost) -> None:
    token = CALLER.set(Caller("mine", key="mine", scopes=(READ, WRITE)))
    try:
        for refused in (memory.measure_recall, memory.measure_history):
            with pytest.raises(Forbidden, match="administer"):
                refused()
    finally:
        CALLER.reset(token)


def test_what_is_lost_is_told_by_the_run_and_by_health(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with milepost.connect(tmp_path / "m.db") as memory:
        assert isinstance(memory, Milepost)
        memory.store_batch(TEXTS)
        memory.measure_recall(48)
        # A version that believes hardly any question to be answered at all.
        doubtful = shipped_model()._replace(gate=0.99)
        monkeypatch.setattr("milepost.ranking.score.shipped_model", lambda _name: doubtful)
        worse = memory.measure_recall(48)

        assert worse.change is not None
        assert (worse.change.verdict, worse.is_worse) == (WORSE, True)
        assert worse.change.lost > worse.change.gained
        assert worse.change.high < 0
        assert any("recall fell" in note for note in memory.health().notes)
        # The next run has the one that fell before it.
        assert not memory.measure_recall(48).is_worse
        assert not any("recall fell" in note for note in memory.health().notes)


def test_what_was_asked_and_then_fetched_is_asked_again(filled: Milepost) -> None:
    result = ask(filled, QUESTION)
    fetch(filled, result.memories[0].hash)

    assert used(filled) == [(result.memories[0].hash, QUESTION)]
    asked = filled.measure_recall(30).sources[-1]
    assert asked.name == ASKED
    assert (asked.questions, asked.recall, asked.mrr) == (1, 1, 1)


def test_what_was_only_shown_or_fetched_by_another_is_not_used(filled: Milepost) -> None:
    result = ask(filled, QUESTION)
    fetch(filled, result.memories[0].hash, session="another")
    shown = {memory.hash for memory in result.memories}
    never = next(m.hash for m in filled.list_memories(limit=100) if m.hash not in shown)
    fetch(filled, never)

    assert used(filled) == []


def test_what_replaced_a_memory_is_the_answer_from_then_on(filled: Milepost) -> None:
    result = ask(filled, QUESTION)
    first = result.memories[0].hash
    fetch(filled, first)
    used(filled)
    filled.update(first, content="The lighthouse keeps four signal lamps since Marta counted")

    asked = filled.measure_recall(10).sources[-1]
    assert (asked.name, asked.questions, asked.recall) == (ASKED, 1, 1)


@pytest.mark.parametrize("erase", [False, True])
def test_a_question_goes_with_the_memory_that_was_used(filled: Milepost, erase: bool) -> None:
    result = ask(filled, QUESTION)
    fetch(filled, result.memories[0].hash)
    assert used(filled)
    filled.delete(result.memories[0].hash, erase=erase)

    assert used(filled) == []


@pytest.mark.parametrize("subject", [{"session": "s1"}, {"matching": "lighthouse"}])
def test_a_question_goes_with_its_session_and_with_its_words(
    filled: Milepost, subject: dict[str, str]
) -> None:
    result = ask(filled, QUESTION)
    fetch(filled, result.memories[0].hash)
    assert used(filled)
    filled.erase(**subject)

    kept = filled._opening().store.contents.rows("default", ("kept",))
    assert used(filled) == []
    assert not [row for row in kept if any("lighthouse" in t for t in row.texts.values())]


def test_a_question_goes_by_the_rule_for_what_models_were_given(filled: Milepost) -> None:
    result = ask(filled, QUESTION)
    fetch(filled, result.memories[0].hash)
    assert used(filled)
    filled.set_retention("ledger", days=1)
    filled.apply_retention()
    assert used(filled)
    context = filled._opening()
    ahead = context._replace(clock=lambda: context.clock() + 2 * DAY_US)
    Keeping(lambda: ahead).apply_retention()

    assert used(filled) == []


def test_a_question_with_a_secret_is_not_kept(filled: Milepost) -> None:
    secret = "sk-proj-" + "A1b2C3d4E5f6G7h8I9j0" * 2
    result = filled.search("signal lamps of the lighthouse")
    asked = result._replace(query=f"does the lighthouse know {secret} for its signal lamps?")
    note_model_text(filled, model_text(time.time(), "search", str(result), asked, "s1"))
    fetch(filled, result.memories[0].hash)

    assert used(filled) == []
    rows = filled._opening().store.contents.rows("default")
    assert not [row for row in rows if any(secret in text for text in row.texts.values())]


def test_a_text_that_is_too_long_for_a_question_is_not_kept(filled: Milepost) -> None:
    result = ask(filled, f"{QUESTION} " * 30)
    fetch(filled, result.memories[0].hash)

    assert used(filled) == []


def test_only_so_many_questions_are_kept(filled: Milepost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("milepost.measuring.questions._USED_MAX", 3)
    for place in KEPT:
        result = ask(filled, f"what does the {place} keep?")
        fetch(filled, result.memories[0].hash)

    assert len(used(filled)) == 3
    assert used(filled)[0][1] == "what does the opera keep?"


def test_nothing_is_kept_where_that_is_off_and_what_was_kept_is_forgotten(
    filled: Milepost, url: str
) -> None:
    result = ask(filled, QUESTION)
    fetch(filled, result.memories[0].hash)
    assert used(filled)
    with open_memory(settings_for(url)._replace(questions="off")) as other:
        assert ASKED not in [row.name for row in other.measure_recall(10).sources]
        result = ask(other, "what does the brewery keep?")
        fetch(other, result.memories[0].hash)
        assert used(other) == []

    assert used(filled) == []
