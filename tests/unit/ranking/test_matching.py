"""How words of a question meet those of candidates, and the sums that ranking is made of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranking_parts import (
    group_by,
    matching,
    times_vector,
    times_vectors,
    weighted_rows,
)
from small_pools import Note, search

COLOURS = {"red": 4, "blue": 2}


def matched(*texts, kin=None, words=COLOURS):
    found = search(words, *map(Note, texts), kin=kin)
    return matching.match_words(found.pool, found.probe)


def test_a_word_is_met_by_the_most_similar_word_of_a_memory():
    kin = {"crimson": {"red": 0.8}, "violet": {"red": 0.4, "blue": 0.5}}
    matches = matched("violet", "crimson violet", "violet crimson red", "", kin=kin)

    assert matches.soft == pytest.approx(
        np.array([[0.4, 0.5], [0.8, 0.5], [1, 0.5], [0, 0]], np.float32)
    )


def test_a_single_word_in_a_single_memory_is_met():
    assert matched("or", "red", "or").soft.tolist() == [[0, 0], [1, 0], [0, 0]]


def test_only_the_word_itself_is_counted_in_whichever_of_its_forms():
    matches = matched("red crimson reds", "blue", "", kin={"crimson": {"red": 0.99}})

    assert matches.counts.tolist() == [[2, 0], [0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("red blue", 1),
        ("red or blue", 0),
        ("blue red", 0),
        ("red red blue blue", 1),
        ("red blue or red blue", 2),
        ("crimson blue", 0),
        ("crimson red blue", 1),
        ("blue green", 1),
        ("red green", 0),
    ],
)
def test_words_that_follow_each_other_as_asked_are_adjacent(text, pairs):
    words = {"red": 4, "blue": 2, "green": 2}
    matches = matched("or", text, "or", text, words=words, kin={"crimson": {"red": 0.9}})

    assert matches.adjacent.tolist() == [0, pairs, 0, pairs]


def test_the_end_of_a_memory_is_not_adjacent_to_the_beginning_of_the_next():
    # As places in the pool they follow each other: 0 and 1.
    found = search(COLOURS, Note("red"), Note("or blue"))

    assert matching.match_words(found.pool, found.probe).adjacent.tolist() == [0, 0]


def test_no_word_is_met_where_no_memory_holds_any():
    matches = matched("green", "yellow")

    assert not matches.soft.any()
    assert not matches.counts.any()
    assert matches.adjacent.tolist() == [0, 0]


def test_a_question_without_words_is_met_by_nothing():
    matches = matched("red", "blue", words={})

    assert matches.soft.tolist() == [[0], [0]]


def windows(*texts, weights=(0.75, 0.25), kin=None, words=COLOURS):
    found = search(words, *map(Note, texts), kin=kin)
    return matching.best_windows(found.pool, found.probe, np.array(weights, np.float32)).tolist()


def after(words, text):
    """Return a text that begins after so many other words."""
    return "or " * words + text


def test_a_window_sums_the_weights_of_the_words_it_meets():
    assert windows("red", "blue", "blue red", "", "red red") == [0.75, 0.25, 1, 0, 0.75]


def test_a_window_meets_each_word_by_its_nearest_kin():
    kin = {"crimson": {"red": 0.5}, "violet": {"red": 0.25, "blue": 0.5}}

    assert windows("violet", "crimson violet", f"crimson {after(30, 'violet')}", kin=kin) == [
        0.75 * 0.25 + 0.25 * 0.5,
        0.75 * 0.5 + 0.25 * 0.5,
        0.75 * 0.5 + 0.25 * 0.5,
    ]


def test_a_window_is_two_blocks_that_follow_each_other():
    assert windows(
        f"red {after(46, 'blue')}",  # places 0 and 47
        f"red {after(47, 'blue')}",  # 0 and 48
        after(24, f"red {after(46, 'blue')}"),  # 24 and 71
        f"red {after(200, 'blue')} {after(200, 'blue red')}",
    ) == [1, 0.75, 1, 1]


def test_three_blocks_in_a_row_are_two_windows_and_not_one():
    text = f"red {after(23, 'blue')} {after(23, 'green')}"

    words = {"red": 4, "blue": 2, "green": 2}
    assert windows(text, weights=(0.5, 0.125, 0.375), words=words) == [0.625]


def test_a_window_does_not_reach_into_the_next_memory():
    assert windows("red", after(24, "blue"), after(48, "red")) == [0.75, 0.25, 0.75]


def test_no_window_meets_anything_where_no_memory_holds_a_word():
    assert windows("green", "") == [0, 0]
    assert windows("red", weights=(0,), words={}) == [0]


def test_rows_are_summed_and_compared_by_their_keys():
    groups = group_by(np.array([7, 0, 7, 3], np.uint64))
    values = np.array([[1, 5], [2, 4], [3, -1], [4, 2]])

    # In the order of the keys: 0, 3, 7.
    assert groups.sum(values).tolist() == [[2, 4], [4, 2], [4, 4]]
    assert groups.max(values).tolist() == [[2, 4], [4, 2], [3, 5]]
    assert groups.of.tolist() == [2, 0, 2, 1]
    assert groups.starts.tolist() == [0, 1, 2]
    assert groups.order.tolist() == [1, 3, 0, 2]


def test_a_single_row_is_a_group():
    groups = group_by(np.array([9]))

    assert groups.sum(np.array([4.0])).tolist() == [4]
    assert groups.of.tolist() == [0]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_groups_agree_with_counting_by_hand(keys):
    values = np.arange(len(keys)) * 3 % 7
    groups = group_by(np.array(keys))

    for row, key in enumerate(keys):
        own = [int(v) for v, other in zip(values, keys, strict=True) if other == key]
        assert groups.sum(values)[groups.of[row]] == sum(own)
        assert groups.max(values)[groups.of[row]] == max(own)


MATRIX = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_products_are_those_of_linear_algebra():
    assert times_vector(MATRIX, np.array([10.0, 1.0])).tolist() == [12, 34, 56]
    assert times_vectors(MATRIX, np.array([[1.0, 0.0], [0.0, 2.0]])).tolist() == [
        [1, 3, 5],
        [4, 8, 12],
    ]
    assert weighted_rows(MATRIX, np.array([1.0, 10.0, 100.0])).tolist() == [531, 642]
