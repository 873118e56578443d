"""A trial asks for memories by half sentences, and says no more than the answers bear."""

from __future__ import annotations

from hashlib import sha256
from math import exp

import pytest

from milepost.memory.values import FOREVER, Record
from milepost.upkeep.model_trial import QUESTIONS_MAX, STRETCH_LENGTH, clozes_of, stretches
from milepost.upkeep.values import Trial

LONG = "We moved the nightly backup job from the old server to the storage cluster in Dublin"


def record(content: str, number: int = 1) -> Record:
    name = sha256(content.encode()).hexdigest()
    return Record(
        number, "default", name, content, "note", (), {}, None, 0, None, (), 0, 0, 0, FOREVER, None
    )


def trial(gain: float, questions: int = 100) -> Trial:
    place = (9.0, 9.0 / exp(gain))
    return Trial("onnx:m@1", 400, questions, place, (10, 12), 40, 30, 0.1, (1.0, 5.0), 20.0)


def test_a_small_store_is_tried_as_a_whole() -> None:
    assert stretches(range(250)) == list(range(250))


def test_a_large_store_is_tried_in_stretches_from_its_first_memory_to_its_last() -> None:
    taken = stretches(range(100_000))

    assert len(taken) == len(set(taken)) == 400
    assert (taken[0], taken[-1]) == (0, 99_999)
    assert taken[:STRETCH_LENGTH] == list(range(STRETCH_LENGTH))


def test_a_sentence_asks_with_its_first_half_for_the_memory_with_the_other() -> None:
    (cloze,) = clozes_of([record(f"Short. {LONG}. Good.")])

    assert cloze.question == "We moved the nightly backup job from the"
    assert cloze.rest.content == "Short. old server to the storage cluster in Dublin. Good."


def test_a_sentence_without_spaces_is_cut_as_well() -> None:
    sentence = "我们决定把夜间备份从旧服务器迁移到新的存储集群因为磁盘经常出现故障。"
    (cloze,) = clozes_of([record(sentence)])

    assert sentence == cloze.question + cloze.rest.content
    assert cloze.question


@pytest.mark.parametrize("content", ["", "A short note.", "word " * 500])
def test_what_is_no_sentence_is_not_asked(content: str) -> None:
    assert clozes_of([record(content)]) == []


def test_what_several_memories_say_is_not_asked() -> None:
    assert clozes_of([record(f"{LONG}."), record(f"Again. {LONG}!", 2)]) == []


def test_questions_are_few_and_come_from_everywhere() -> None:
    clozes = clozes_of([record(f"The machine number {i} {LONG}.", i) for i in range(500)])

    assert len(clozes) == QUESTIONS_MAX
    assert clozes[-1].rest.id > 490


@pytest.mark.parametrize(
    ("gain", "questions", "verdict"),
    [
        (0.3, 100, "texts better"),
        (-0.3, 100, "texts worse"),
        (0.15, 100, "beyond chance"),
        (0.0, 100, "beyond chance"),
        (0.9, 12, "too few"),
    ],
)
def test_a_verdict_is_given_where_chance_would_not_give_it(
    gain: float, questions: int, verdict: str
) -> None:
    assert verdict in trial(gain, questions).verdict
