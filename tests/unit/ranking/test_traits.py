"""Whether a text asks."""

import pytest
from ranking_parts import traits


@pytest.mark.parametrize("text", ["Which one?", "It broke. Why? \n", "哪一个？", "?"])
def test_a_text_that_ends_with_a_question_asks_to_be_answered(text):
    assert traits(text) == 2


@pytest.mark.parametrize("text", ["Which one? The red one.", "哪一个？红色的。", "Why?!"])
def test_a_text_may_ask_on_the_way(text):
    assert traits(text) == 1


@pytest.mark.parametrize("text", ["", "The red one.", "When I asked, nobody knew"])
def test_a_text_without_a_question_mark_does_not_ask(text):
    assert traits(text) == 0
