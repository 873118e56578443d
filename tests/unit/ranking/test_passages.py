"""Which passage of a memory is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.ranking.passages import best_passage

LONG = (
    "The release was delayed by a week. Marketing was not amused. " * 4
    + "In the end we chose PostgreSQL because of JSONB. "
    + "Nobody has asked for MySQL since then. " * 5
)


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert best_passage("two\nshort   lines", {}, 200) == "two short lines"


def test_the_passage_with_the_words_of_the_question_is_shown() -> None:
    passage = best_passage(LONG, {"chos": 2.0, "jsonb": 5.0}, 120)

    assert "chose PostgreSQL because of JSONB" in passage
    assert passage.startswith("…")
    assert passage.endswith("…")


def test_a_passage_begins_with_its_sentence_where_there_is_room() -> None:
    assert best_passage(LONG, {"jsonb": 5.0}, 120).startswith("…In the end we chose")


def test_without_a_question_the_beginning_is_shown() -> None:
    passage = best_passage(LONG, {}, 60)

    assert passage.startswith("The release was delayed")
    assert passage.endswith("…")


def test_the_end_of_a_text_is_not_followed_by_an_ellipsis() -> None:
    passage = best_passage(LONG + "The last word is harbour.", {"harbour": 3.0}, 80)

    assert passage.endswith("harbour.")


@given(st.text(max_size=600), st.sampled_from(["a", "the", "x"]), st.integers(20, 200))
def test_a_passage_is_never_longer_than_asked(text: str, word: str, width: int) -> None:
    assert len(best_passage(text, {word: 1.0}, width)) <= width


@pytest.mark.parametrize("width", [30, 90, 200])
def test_a_text_without_spaces_is_cut_too(width: int) -> None:
    assert len(best_passage("x" * 1000, {}, width)) == width
