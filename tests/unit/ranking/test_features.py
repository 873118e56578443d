"""What the features of a candidate are, reckoned by hand.

`small_pools` tells why a word given with 4 weighs 4 ln 2.
"""

from math import log, log1p, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_pools import Note, search

LN2 = log(2)


def expect(columns, **expected):
    for name, values in expected.items():
        assert columns[name].tolist() == pytest.approx(list(values), abs=1e-6), name


# "red" tells twice as much as "blue", so they have 2/3 and 1/3 of the question.
COLOURS = {"red": 4, "blue": 2}
KIN = {"crimson": {"red": 0.8}, "pink": {"red": 0.7}}


@pytest.fixture(scope="module")
def words():
    both, twice = Note("red blue"), Note("blue or blue", length=24)
    return search(COLOURS, both, Note("crimson"), Note("pink"), twice, kin=KIN).features()


def test_words_that_stand_in_a_memory_gain_as_in_bm25(words):
    # Twice in a memory of double length: 2 · 1.9 / (2 + 0.9 · (0.6 + 0.4 · 24 / 12)).
    twice = 3.8 / (2 + 0.9 * 1.4)
    expect(
        words,
        bm_share=[1, 0, 0, twice * 2 / 6],
        bm_norm=[1 / 1.9, 0, 0, twice * 2 / 6 / 1.9],
    )


def test_words_of_kindred_meaning_count_by_their_kinship(words):
    met = [1, 0.8 * 2 / 3, 0.7 * 2 / 3, 1 / 3]
    expect(words, soft=met, soft_share=met)


def test_coverage_is_the_share_of_the_question_that_stands_in_a_memory(words):
    expect(
        words,
        covered=[1, 0, 0, 1 / 3],
        covered_all=[1, 0, 0, 1 / 3],
        # A likeness above 0.7 is nearly the word itself.
        nearly_covered=[1, 2 / 3, 0, 1 / 3],
        count=[1, 0, 0, 1 / 2],
        adjacent=[1, 0, 0, 0],
        length=[log1p(12), log1p(12), log1p(12), log1p(24)],
    )


def test_kinship_is_relative_to_the_best_of_the_candidates():
    columns = search(COLOURS, Note("crimson"), Note("blue"), Note(""), kin=KIN).features()

    # 0.8 · 2/3 and 1/3.
    expect(columns, soft_share=[1, (1 / 3) / (1.6 / 3), 0])


def test_a_word_that_every_memory_holds_is_still_all_of_a_question():
    columns = search({"red": 0.05}, Note("red", (0.6, 0.8)), Note(""), documents=100_000).features()

    expect(columns, soft=[1, 0], covered=[1, 0], covered_all=[1, 0], passage=[1, 0])
    expect(columns, bm_norm=[1 / 1.9, 0], topical=[0.6, 0])


def test_no_more_than_three_adjacent_pairs_count():
    columns = search(COLOURS, Note("red blue " * 5), Note("red blue " * 3)).features()

    expect(columns, adjacent=[3, 3])


def test_lengths_are_compared_with_the_mean_of_the_store_and_of_imagined_memories():
    small = search(COLOURS, Note("red", length=24), documents=43)
    corpus = small.pool.corpus._replace(mean_length=75.0)
    columns = small._replace(pool=small.pool._replace(corpus=corpus)).features()

    # (43 · 75 + 20 · 12) / 63 = 55: 24 is short.
    gain = 1.9 / (1 + 0.9 * (0.6 + 0.4 * 24 / 55))
    expect(columns, bm_norm=[gain * 4 / 6 / 1.9])


def test_the_name_of_an_author_counts_as_a_word_but_not_as_what_is_asked():
    columns = search(
        {"ann": 3, "red": 2, "blue": 1},
        Note("ann"),
        Note("red", author="ann"),
        Note("ann red"),
    ).features()

    expect(
        columns,
        # Of 6 ln 2, the name is 3; without it 2 and 1 of 3.
        soft=[0, 2 / 3, 2 / 3],
        passage=[0, 2 / 3, 2 / 3],
        covered=[0, 2 / 3, 2 / 3],
        covered_all=[3 / 6, 2 / 6, 5 / 6],
        count=[1 / 3, 1 / 3, 2 / 3],
    )


def placed(**places):
    """Return a memory that holds each word at its place, and other words between."""
    length = max(places.values()) + 1
    text = ["other"] * length
    for word, place in places.items():
        text[place] = word
    return Note(" ".join(text), length=length)


def test_words_far_apart_in_a_long_memory_count_less_than_words_close_together():
    close, apart = placed(red=100, blue=101), placed(red=1, blue=101)
    columns = search(COLOURS, close, apart).features()

    expect(columns, soft=[1, 1], covered=[1, 1], passage=[1, 2 / 3])


@pytest.mark.parametrize(
    ("red", "blue", "met"),
    [
        (0, 23, 1),  # one block of 24
        (0, 47, 1),  # two neighbouring blocks
        (47, 0, 1),
        (0, 48, 2 / 3),  # a block lies between
        (48, 0, 2 / 3),
        (24, 71, 1),
        (23, 48, 2 / 3),
    ],
)
def test_a_passage_is_two_blocks_of_24_words(red, blue, met):
    expect(search(COLOURS, placed(red=red, blue=blue)).features(), passage=[met])


def test_of_all_passages_the_best_counts():
    words = {"red": 4, "blue": 2, "green": 2}
    columns = search(
        words,
        placed(blue=0, red=60, green=61, blues=120),
        # Each block has a neighbour, but no passage has all three.
        placed(red=0, blue=24, green=48),
        placed(blue=0, red=24, green=48),
    ).features()

    # 1/2, 1/4 and 1/4 of the question; in the last both passages have the red that lies between.
    expect(columns, soft=[1, 1, 1], passage=[3 / 4, 3 / 4, 3 / 4])


def test_a_passage_meets_words_by_their_kinship():
    columns = search(COLOURS, placed(crimson=0, blue=30), placed(red=0, pink=60), kin=KIN)

    expect(columns.features(), passage=[0.8 * 2 / 3 + 1 / 3, 2 / 3])


def test_a_passage_ends_with_its_memory():
    columns = search(COLOURS, placed(red=0), placed(blue=24), Note(""), placed(red=3)).features()

    expect(columns, passage=[2 / 3, 1 / 3, 0, 2 / 3])


asked_for = st.sampled_from(["red", "blue", "crimson", "other"])


@given(st.lists(st.lists(asked_for, max_size=48).map(" ".join), min_size=1, max_size=4))
def test_the_passage_of_a_short_memory_is_all_of_it(texts):
    columns = search(COLOURS, *map(Note, texts), kin=KIN).features()

    expect(columns, passage=columns["soft"].tolist())


@given(st.lists(asked_for, max_size=24), st.integers(0, 120), st.lists(asked_for, max_size=24))
def test_a_passage_never_meets_more_than_the_whole_memory(first, between, last):
    text = " ".join([*first, *["other"] * between, *last])
    columns = search(COLOURS, Note(text), kin=KIN).features()

    assert columns["passage"][0] <= columns["soft"][0] + 1e-6


def test_a_window_meets_a_word_by_whichever_of_its_memories_meets_it_best():
    session = [Note(text, session="s") for text in ("red", "other", "blue", "green")]
    columns = search({"red": 4, "blue": 2, "green": 2}, *session).features()

    # The words are 1/2, 1/4 and 1/4 of the question.
    expect(
        columns,
        soft=[0.5, 0, 0.25, 0.25],
        window_three=[0.5, 0.75, 0.5, 0.5],
        window_five=[0.75, 1, 1, 0.5],
    )


def test_a_memory_without_neighbours_is_its_own_window():
    columns = search(COLOURS, Note("red"), Note("blue")).features()

    expect(columns, window_three=[2 / 3, 1 / 3], window_five=[2 / 3, 1 / 3])


def test_neighbours_are_found_in_whichever_order_the_pool_has_them():
    notes = [Note(text, session="s", at=at) for text, at in (("blue", 2), ("red", 0), ("", 1))]
    columns = search(COLOURS, *notes).features()

    expect(columns, window_three=[1 / 3, 2 / 3, 1], window_five=[1, 1, 1])


def test_similarity_is_told_as_it_is_and_among_the_candidates():
    notes = [Note(vector=(0.8, 0.6)), Note(vector=(0.2, 0)), Note(vector=(-0.1, 0))]
    columns = search({"red": 4}, *notes).features()

    # The mean is 0.3, the differences 0.5, -0.1 and -0.4.
    spread = sqrt((0.25 + 0.01 + 0.16) / 3) + 0.03
    expect(
        columns,
        similar=[0.8, 0.2, -0.1],
        similar_share=[1, 0.25, 0],
        similar_z=[0.5 / spread, -0.1 / spread, -0.4 / spread],
    )


def test_the_topic_is_the_direction_of_the_words_by_their_weights():
    columns = search(
        COLOURS, Note(vector=(0.6, 0.8)), Note(vector=(0, 1)), word_vectors=[(1, 0), (0, 1)]
    ).features()

    # 4 · (1, 0) + 2 · (0, 1) points as (2, 1) / √5 does.
    expect(columns, topical=[(2 * 0.6 + 0.8) / sqrt(5), 1 / sqrt(5)])


def test_without_words_the_question_itself_is_the_topic():
    columns = search({}, Note(vector=(0.6, 0.8)), Note(vector=(0, 1))).features()

    expect(columns, topical=[0.6, 0], soft=[0, 0], passage=[0, 0], bm_norm=[0, 0], count=[0, 0])
    expect(columns, q_words=[0, 0])


def test_the_author_who_is_named_is_told_from_others():
    authors = ("ann", "bob", None, "assistant")
    columns = search({"ann": 3, "red": 2}, *(Note(author=a) for a in authors)).features()

    expect(columns, author_asked=[1, 0, 0, 0])


def test_where_no_author_is_named_all_are_alike():
    columns = search({"red": 2}, Note(author="ann"), Note(author="bob")).features()

    expect(columns, author_asked=[0, 0])


@pytest.mark.parametrize("authors", [("assistant", "user"), ("bob", "ann"), (None, None)])
def test_who_of_a_conversation_says_something_makes_no_difference(authors):
    def said_by(first, second):
        return search(
            COLOURS,
            Note("red", (0.6, 0.8), "s", author=first, traits=2),
            Note("blue", (0.8, 0.6), "s", author=second, hour=9),
        ).features()

    expect(said_by(*authors), **said_by("user", "assistant"))


def test_what_follows_a_question_may_answer_it():
    columns = search(
        {"red": 4},
        # A core is half of: share of the best BM25, share of the best similarity, kinship.
        Note("red", (1, 0), session="s", traits=2),  # (1 + 1 + 1) / 2
        Note("", (0.5, 0), session="s", traits=1),  # (0 + 0.5 + 0) / 2, and asks on the way
        Note("crimson", (0.1, 0), session="s", traits=2),  # (0 + 0.1 + 0.8) / 2
        Note("", session="s"),
        Note("red"),
        kin={"crimson": {"red": 0.8}},
    ).features()

    expect(
        columns,
        asks=[1, 1, 1, 0, 0],
        asked_before=[0, 1, 1, 1, 0],
        # Only what ends with a question is answered by what follows.
        answers=[0, 1.5, 0, 0.45, 0],
    )


def test_sessions_are_ranked_among_sessions_as_in_bm25():
    columns = search(
        COLOURS,
        Note("red", session="long", at=0),
        Note("blue", session="long", at=5),
        Note("red", session="short"),
    ).features()

    # Of two sessions both hold "red", one holds "blue": ln(1 + 0.5 / 2.5), ln(1 + 1.5 / 1.5).
    # They are 24 and 12 words long, 18 in the mean: 0.9 · (0.4 + 0.6 · 24 / 18) and for 12.
    long = 1.9 / (1 + 1.08) * (log(1.2) + log(2))
    short = 1.9 / (1 + 0.72) * log(1.2)
    expect(columns, session_lexical=[1, 1, short / long])


def test_sessions_of_single_words_are_compared_as_others_are():
    columns = search(
        {"red": 4}, Note("red red", session="s", length=1), Note("red", session="t", length=1)
    ).features()

    # All are as long as the mean: 0.9 · (0.4 + 0.6).
    expect(columns, session_lexical=[1, (1 / (1 + 0.9)) / (2 / (2 + 0.9))])


def test_memories_without_a_session_have_none_of_its_words():
    columns = search(COLOURS, Note("red"), Note("blue"), Note("red", session="s")).features()

    assert columns["session_lexical"][:2].tolist() == [0, 0]
    assert columns["session_lexical"][2] > 0


def test_where_no_memory_has_a_session_nothing_is_said_of_sessions():
    expect(search(COLOURS, Note("red"), Note("blue")).features(), session_lexical=[0, 0])


def test_a_chosen_model_is_heard_by_how_its_likeness_differs_from_its_mean():
    columns = search(
        {"red": 4},
        Note(chosen=(0.9, 0)),
        Note(chosen=(0.5, 0)),
        Note(chosen=None),
        Note(chosen=(0.4, 0.1)),
        toward_chosen=(1, 0),
    ).features()

    # The mean of those it has seen is 0.6, the differences 0.3, -0.1 and -0.2.
    spread = sqrt((0.09 + 0.01 + 0.04) / 3) + 0.01
    expect(
        columns,
        chosen_z=[0.3 / spread, -0.1 / spread, 0, -0.2 / spread],
        chosen_share=[1, -1 / 3, 0, -2 / 3],
    )


@pytest.mark.parametrize("toward", [None, (1.0, 0.0)])
def test_a_chosen_model_that_has_seen_no_candidate_is_not_heard(toward):
    columns = search({"red": 4}, Note("red"), Note("blue"), toward_chosen=toward).features()

    assert not [name for name in columns if name.startswith("chosen")]


def test_a_chosen_model_that_finds_nearly_all_alike_tells_little():
    notes = [Note(chosen=(0.5 + 2 / 256, 0)), Note(chosen=(0.5, 0.1))]
    columns = search({"red": 4}, *notes, toward_chosen=(1, 0)).features()

    # Both are 1/256 from the mean, and so is the spread; 0.01 is the least that they can share.
    away = 1 / 256
    z = away / (away + 0.01)
    expect(columns, chosen_z=[z, -z], chosen_share=[away / 0.01, -away / 0.01])


def test_a_question_is_told_by_its_words_and_by_what_answers_it_best():
    columns = search(
        {"red": 4, "blue": 2, "green": 2},
        Note("blue", (0.3, 0)),
        Note("crimson", (0.6, 0)),
        kin={"crimson": {"red": 0.8}},
    ).features()

    # The words are 1/2, 1/4 and 1/4 of the question.
    expect(
        columns,
        q_words=[0.3, 0.3],
        q_covered=[1 / 4] * 2,
        q_soft=[0.4 + 1 / 4] * 2,
        q_similar=[0.6] * 2,
    )


def test_more_than_twelve_words_are_twelve():
    words = {f"word{chr(97 + i)}": 4 for i in range(14)}

    expect(search(words, Note()).features(), q_words=[1.2])


def test_every_feature_is_a_finite_number_for_each_candidate():
    odd = [
        Note(),
        Note("red red", length=1),
        Note("", (0, 0), session="s", length=0, hour=-1_000_000),
        Note("blue", (1, 0), session="s", author="ann", chosen=(0, 0), traits=2),
    ]
    for count in range(1, len(odd) + 1):
        for words in ({}, {"red": 0}, COLOURS | {"ann": 1}):
            columns = search(words, *odd[:count], toward_chosen=(1, 0)).features()
            for name, values in columns.items():
                assert values.shape == (count,), name
                assert np.isfinite(values).all(), name


def test_the_head_of_a_memory_is_its_first_eighteen_terms():
    early, late = placed(red=17), placed(red=18)

    expect(search(COLOURS, early, late).features(), head=[2 / 3, 0])


def test_a_memory_stands_beside_the_better_of_its_two_neighbours():
    notes = [Note("red blue", session="s"), Note("", session="s"), Note("red", session="s")]
    columns = search(COLOURS, *notes, Note("")).features()

    # A core is half of the best words, the best meaning (nothing here) and what is met.
    expect(columns, beside=[0, 1, 0, 0])


def test_a_name_that_no_memory_holds_is_unknown():
    asked = search(COLOURS, Note("blue"), Note(""))
    named = tuple(word._replace(named=True) for word in asked.probe.words)

    expect(asked.features(), q_unknown=[0, 0])
    expect(asked._replace(probe=asked.probe._replace(words=named)).features(), q_unknown=[1, 1])
