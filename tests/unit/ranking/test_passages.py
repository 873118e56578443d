"""Which passage of a memory is shown."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.ranking import passages
from milepost.ranking.keys import term_key
from milepost.ranking.passages import Sought

LONG = (
    "The release was delayed by a week. Marketing was not amused. " * 4
    + "In the end we chose PostgreSQL because of JSONB. "
    + "Nobody has asked for MySQL since then. " * 5
)


def sought(weights: Mapping[str, float]) -> Sought:
    """Look for terms, each of which is a word of its own."""
    total = sum(weights.values())
    worth = {term_key(t): [(i, w / total)] for i, (t, w) in enumerate(weights.items())}
    return Sought(lambda: worth)


def best_passage(content: str, weights: Mapping[str, float], width: int) -> str:
    return passages.best_passage(content, sought(weights) if weights else None, width)


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert best_passage("two\nshort   lines", {}, 200) == "two short lines"


def test_the_passage_with_the_words_of_the_question_is_shown() -> None:
    passage = best_passage(LONG, {"chos": 2.0, "jsonb": 5.0}, 120)

    assert "chose PostgreSQL because of JSONB" in passage
    assert passage.startswith("…")
    assert passage.endswith("…")


def test_a_passage_begins_with_its_sentence_where_there_is_room() -> None:
    passage = best_passage(LONG, {"jsonb": 5.0}, 120)

    assert passage.startswith(("…Marketing was not", "…In the end we chose"))
    assert "JSONB" in passage


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


def filler(count: int) -> str:
    return "lorem " * count


def test_of_two_places_the_one_that_weighs_more_is_shown() -> None:
    text = f"{filler(60)}cheap {filler(60)}dear {filler(60)}"

    assert "dear" in best_passage(text, {"cheap": 1.0, "dear": 1.05}, 80)
    assert "cheap" in best_passage(text, {"cheap": 1.05, "dear": 1.0}, 80)


def test_a_word_that_weighs_nearly_nothing_is_shown_where_there_is_no_other() -> None:
    assert "tea" in best_passage(f"{filler(60)}tea {filler(60)}", {"tea": 0.05}, 80)


@pytest.mark.parametrize(("between", "shown"), [(70, "tea"), (71, "rum")])
def test_words_are_together_when_one_passage_holds_them_and_its_ellipses(
    between: int, shown: str
) -> None:
    # "tea", "ale", two spaces and what is between: 78 characters and two ellipses are 80.
    text = f"{filler(60)}tea {'x' * between} ale {filler(60)}rum {filler(60)}"

    assert shown in best_passage(text, {"tea": 1.0, "ale": 1.0, "rum": 1.1}, 80)


def test_of_two_places_that_weigh_the_same_the_first_is_shown() -> None:
    text = f"{filler(60)}tea first {filler(60)}tea second {filler(60)}"

    assert "tea first" in best_passage(text, {"tea": 1.0}, 80)


def test_a_word_that_is_said_again_weighs_no_more() -> None:
    text = f"{filler(60)}tea tea tea tea {filler(60)}tea ale {filler(60)}"

    assert "ale" in best_passage(text, {"tea": 2.0, "ale": 1.0}, 80)


def test_words_that_stand_together_are_shown_rather_than_those_apart() -> None:
    text = f"{filler(60)}tea {filler(60)}ale {filler(60)}tea ale {filler(60)}"
    passage = best_passage(text, {"tea": 1.0, "ale": 1.0}, 80)

    assert "tea ale" in passage


def test_a_word_that_has_left_the_window_counts_again_when_it_comes_back() -> None:
    # At the second "tea" the first is out of sight; at "ale rum" both others are in it.
    text = f"tea {filler(40)}tea {filler(5)}ale rum {filler(40)}"
    passage = best_passage(text, {"tea": 1.0, "ale": 1.0, "rum": 1.0}, 80)

    assert "tea" in passage
    assert "ale rum" in passage


def test_a_word_that_stands_in_the_window_again_is_not_lost_when_the_first_leaves_it() -> None:
    text = f"{filler(60)}tea {filler(10)}tea {filler(2)}ale {filler(60)}rum {filler(60)}"

    assert "ale" in best_passage(text, {"tea": 1.0, "ale": 1.0, "rum": 1.95}, 80)


def test_a_word_longer_than_the_passage_is_shown_in_part() -> None:
    passage = best_passage(f"{filler(60)}{'x' * 100} {filler(60)}", {"x" * 100: 1.0}, 60)

    assert passage == "…" + "x" * 58 + "…"


@pytest.mark.parametrize("mark", [". ", "? ", "! ", '." ', "\n", "。"])
def test_a_passage_begins_after_any_mark_that_ends_a_sentence(mark: str) -> None:
    text = f"{filler(40)}end{mark}Here is the tea {filler(40)}"

    assert best_passage(text, {"tea": 1.0}, 80).startswith("…Here is the tea")


def test_a_word_late_in_a_long_sentence_is_shown_with_what_stands_before_and_after() -> None:
    text = f"{filler(40)}end. {filler(30)}tea {filler(40)}"

    assert "lorem tea lorem" in best_passage(text, {"tea": 1.0}, 80)


def test_a_word_in_the_middle_of_a_passage_counts_more_than_at_its_edge() -> None:
    late = f"{filler(11)}to tea {filler(2)}end. "
    text = f"{filler(20)}end. {late}{filler(20)}end. Some tea for all {filler(20)}"

    assert "Some tea for all" in best_passage(text, {"tea": 1.0}, 80)


def test_the_beginning_of_a_text_is_shown_where_the_word_is_in_its_first_sentence() -> None:
    assert best_passage(f"{filler(6)}of tea {filler(40)}", {"tea": 1.0}, 80).startswith("lorem")


def test_what_is_akin_to_a_word_does_not_count_beside_the_word() -> None:
    text = f"{filler(30)}end. Tea brew cup {filler(30)}end. Tea ale {filler(30)}"
    worth = {"tea": (0, 0.6), "brew": (0, 0.5), "cup": (0, 0.4), "ale": (1, 0.4)}
    wanted = Sought(lambda: {term_key(term): [each] for term, each in worth.items()})

    assert "Tea ale" in passages.best_passage(text, wanted, 80)


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("Die Rechnungen wurden an die Kunden geschickt.", "rechnung"),
        ("Las reuniones se han movido a la oficina.", "reunion"),
        ("我们把缓存换成了别的。", "缓存"),
    ],
)
def test_a_word_is_met_by_its_stem_in_the_language_of_the_text(sentence: str, term: str) -> None:
    around = {
        "D": "Das ist nicht so und wir haben es auch nicht. ",
        "L": "Eso no es así y nosotros no lo hemos dicho nunca. ",
        "我": "这里没有别的东西。",
    }[sentence[0]]

    assert sentence[:-1] in best_passage(around * 20 + sentence + around * 20, {term: 1.0}, 120)


@pytest.mark.parametrize(("last", "length"), [("x", 80), ("xy", 75), ("tea", 76)])
def test_a_passage_at_the_end_is_filled_with_the_words_before(last: str, length: int) -> None:
    passage = best_passage(f"{filler(60)}{last}", {last: 1.0}, 80)

    assert passage.startswith("…lorem lorem")
    assert passage.endswith(f"lorem {last}")
    assert len(passage) == length


@pytest.mark.parametrize(("after", "shown"), [(45, "c" * 45), (44, "b" * 30 + " " + "c" * 44)])
def test_a_word_is_left_out_of_a_filled_passage_unless_it_is_very_long(
    after: int, shown: str
) -> None:
    text = f"{'b' * 200} {'c' * after} tea"

    assert best_passage(text, {"tea": 1.0}, 80) == f"…{shown} tea"


def test_a_passage_that_ends_where_the_text_does_has_no_ellipsis_there() -> None:
    text = f"{filler(40)}end. tea {'x' * 75}"

    assert best_passage(text, {"tea": 1.0}, 80) == f"…tea {'x' * 75}"


# Seven words and the spaces between are 55 characters.
@pytest.mark.parametrize(("width", "count"), [(60, 7), (56, 7), (55, 6)])
def test_a_passage_is_cut_between_words(width: int, count: int) -> None:
    assert best_passage("harbour " * 40, {}, width) == ("harbour " * count).rstrip() + "…"


def test_a_passage_is_cut_within_a_word_that_is_half_of_it() -> None:
    assert best_passage("a" * 25 + " " + "b" * 100, {}, 60) == "a" * 25 + " " + "b" * 33 + "…"
    assert best_passage("a" * 31 + " " + "b" * 100, {}, 60) == "a" * 31 + "…"


def test_a_text_as_long_as_the_width_is_whole_and_one_longer_is_cut() -> None:
    assert best_passage("x" * 40, {}, 40) == "x" * 40
    assert best_passage("x" * 41, {}, 40) == "x" * 39 + "…"


@pytest.mark.parametrize(("words", "searched"), [("xab ", True), ("xyab ", False)])
def test_the_first_50_000_characters_of_a_document_are_searched(words: str, searched: bool) -> None:
    # 49,993 characters and the seven of a word, or one more.
    text = words + "ab " * 16_663 + "harbour" + "x" * 100

    assert ("harbour" in best_passage(text, {"harbour": 1.0}, 80)) == searched


words = st.sampled_from("harbour storage PostgreSQL. because: window? src/main.py".split())


@given(st.lists(words, max_size=80), st.lists(words, max_size=80), st.integers(60, 200))
def test_a_passage_holds_the_word_asked_for(
    before: list[str], after: list[str], width: int
) -> None:
    text = " ".join([*before, "needle", *after])

    assert "needle" in best_passage(text, {"needl": 1.0}, width)


@pytest.mark.parametrize("after", ["", ".", ",", ");"])
@pytest.mark.parametrize("before", range(60, 76))
def test_a_word_that_earned_a_passage_is_not_cut_off_at_its_end(before: int, after: str) -> None:
    # "Tea" begins the sentence, and "ale" ends with the last character that fits, or before.
    text = f"{filler(20)}end. Tea {'x' * (before // 2)} {'y' * (before // 2 - 5)} ale{after} more "
    shown = best_passage(text + filler(40), {"tea": 1.0, "ale": 1.0}, 80)

    assert "Tea" in shown
    assert "ale" in shown


marks = st.sampled_from(["", "", "", ".", "?", ",", ":", "!", ";"])
wanted_words = st.sampled_from("tea ale rum lorem lorem lorem lorem lorem ipsum harbour".split())


@given(
    st.lists(st.builds(str.__add__, wanted_words, marks), min_size=30, max_size=150),
    st.integers(40, 200),
)
def test_the_words_that_earned_a_passage_are_in_it(found: list[str], width: int) -> None:
    text = " ".join(found)
    weights = {"tea": 1.0, "ale": 1.0, "rum": 1.0}
    shown = best_passage(text, weights, width)
    held = [sum(word in part for word in weights) for part in windows(text, width - 2)]

    # At the edge of a passage a word counts for 0.6: two there outweigh one in the middle.
    least = {0: 0, 1: 1, 2: 2, 3: 2}[max(held)]
    assert sum(word in shown for word in weights) >= least


def windows(text: str, room: int) -> list[str]:
    """Return what passages that begin with a sentence could show."""
    starts = [0, *(i + 2 for i in range(len(text) - 2) if text[i] in ".?!" and text[i + 1] == " ")]
    return [text[start : start + room].rsplit(" ", 1)[0] for start in starts]


@given(st.lists(words, max_size=80), st.integers(60, 200))
def test_a_passage_stands_in_the_text_as_it_is(found: list[str], width: int) -> None:
    text = " ".join(found)

    assert best_passage(text, {"window": 1.0}, width).strip("…") in text
