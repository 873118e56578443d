"""Memories are asked for by half sentences of their own, and taken without some of the words."""

from __future__ import annotations

from hashlib import sha256

import pytest

from milepost.measuring.clozes import clozes_of, without_words
from milepost.measuring.comparison import QUESTIONS_MAX, STRETCH_LENGTH, spread, stretches
from milepost.memory.values import FOREVER, Record

LONG = "We moved the nightly backup job from the old server to the storage cluster in Dublin"


def record(content: str, number: int = 1) -> Record:
    name = sha256(content.encode()).hexdigest()
    return Record(
        number, "default", name, content, "note", (), {}, None, 0, None, (), 0, 0, 0, FOREVER, None
    )


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


def test_questions_of_a_comparison_are_few_and_come_from_everywhere() -> None:
    clozes = clozes_of([record(f"The machine number {i} {LONG}.", i) for i in range(500)])
    chosen = spread(clozes, QUESTIONS_MAX)

    assert len(chosen) == QUESTIONS_MAX
    assert chosen[-1].rest.id > 490


@pytest.mark.parametrize(
    ("content", "words", "left"),
    [
        ("The Backup of the backups runs", ["backup"], "The   of the backups runs"),
        ("What of C++ is (not) here now?", ["c++", "(not)"], "What of   is   here now?"),
        ("我们把夜间备份迁移", ["备份"], "我们把夜间 迁移"),
        ("nothing is taken out of here", [], "nothing is taken out of here"),
    ],
)
def test_a_text_is_taken_without_words_whatever_signs_they_have(
    content: str, words: list[str], left: str
) -> None:
    assert without_words(content, words) == left
