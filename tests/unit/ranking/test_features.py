"""What the features of a candidate are, reckoned by hand.

`small_pools` tells why a word given with 4 weighs 4 ln 2.
"""

from math import log, log1p, log10, sqrt

import numpy as np
import pytest
from ranking_parts import Traits
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
        bm=[6 * LN2 / 10, 0, 0, twice * 2 * LN2 / 10],
        bm_share=[1, 0, 0, twice * 2 / 6],
        bm_norm=[1 / 1.9, 0, 0, twice * 2 / 6 / 1.9],
    )


def test_words_of_kindred_meaning_count_by_their_kinship(words):
    expect(
        words,
        soft=[1, 0.8 * 2 / 3, 0.7 * 2 / 3, 1 / 3],
        soft_all=[1, 0.8 * 2 / 3, 0.7 * 2 / 3, 1 / 3],
        soft_squared=[1, 0.8**2 * 2 / 3, 0.7**2 * 2 / 3, 1 / 3],
        # Weights squared: 16 and 4 of 20.
        soft_rare=[1, 0.8 * 16 / 20, 0.7 * 16 / 20, 4 / 20],
        precision=[2 / sqrt(15), 0.8 / sqrt(15), 0.7 / sqrt(15), 1 / sqrt(27)],
        length_soft=[log1p(12), log1p(12) * 1.6 / 3, log1p(12) * 1.4 / 3, log1p(24) / 3],
        rarest=[1, 0.8, 0.7, 0],
        best_word=[4 * LN2 / 5, 0.8 * 4 * LN2 / 5, 0.7 * 4 * LN2 / 5, 2 * LN2 / 5],
    )


def test_coverage_is_the_share_of_the_question_that_stands_in_a_memory(words):
    expect(
        words,
        covered=[1, 0, 0, 1 / 3],
        covered_all=[1, 0, 0, 1 / 3],
        # A likeness above 0.7 is nearly the word itself.
        nearly_covered=[1, 2 / 3, 0, 1 / 3],
        best_exact=[4 * LN2 / 5, 0, 0, 2 * LN2 / 5],
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

    expect(columns, soft=[1, 0], covered=[1, 0], covered_all=[1, 0], soft_rare=[1, 0])
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
    expect(columns, bm=[gain * 4 * LN2 / 10])


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
        soft_all=[3 / 6, 2 / 6, 5 / 6],
        covered=[0, 2 / 3, 2 / 3],
        covered_all=[3 / 6, 2 / 6, 5 / 6],
        soft_rare=[0, 4 / 5, 4 / 5],
        rarest=[0, 1, 1],
        best_word=[0, 2 * LN2 / 5, 2 * LN2 / 5],
        bm=[3 * LN2 / 10, 2 * LN2 / 10, 5 * LN2 / 10],
        count=[1 / 3, 1 / 3, 2 / 3],
    )


def test_a_window_meets_a_word_by_whichever_of_its_memories_meets_it_best():
    session = [Note(text, session="s") for text in ("red", "other", "blue", "green")]
    columns = search({"red": 4, "blue": 2, "green": 2}, *session).features()

    # The words are 1/2, 1/4 and 1/4 of the question.
    expect(
        columns,
        soft=[0.5, 0, 0.25, 0.25],
        window_before=[0.5, 0.5, 0.25, 0.5],
        window_after=[0.5, 0.25, 0.5, 0.25],
        window_three=[0.5, 0.75, 0.5, 0.5],
        window_five=[0.75, 1, 1, 0.5],
        window_gain=[0, 0.75, 0.25, 0.25],
    )


def test_a_memory_without_neighbours_is_its_own_window():
    columns = search(COLOURS, Note("red"), Note("blue")).features()

    for name in ("window_before", "window_after", "window_three", "window_five"):
        expect(columns, **{name: [2 / 3, 1 / 3]})


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

    expect(columns, topical=[0.6, 0], soft=[0, 0], bm=[0, 0], count=[0, 0])
    expect(columns, q_words=[0, 0], q_rarest=[0, 0])


def test_the_author_who_is_named_is_told_from_others():
    authors = ("ann", "bob", None, "assistant")
    columns = search({"ann": 3, "red": 2}, *(Note(author=a) for a in authors)).features()

    expect(columns, author_asked=[1, 0, 0, 0], other_asked=[0, 1, 0, 1], assistant=[0, 0, 0, 1])


def test_where_no_author_is_named_nobody_is_another():
    columns = search({"red": 2}, Note(author="ann"), Note(author="bob")).features()

    expect(columns, author_asked=[0, 0], other_asked=[0, 0])


@pytest.mark.parametrize(
    ("text", "said", "personal"),
    [
        ("which book did you recommend", 1, 0),
        ("what is my favourite book", 0, 1),
        ("which book did you recommend to me", 1, 0),
        ("which book is red", 0, 0),
    ],
)
def test_a_question_asks_for_what_the_assistant_said_or_the_user_is(text, said, personal):
    columns = search({"book": 3}, Note(author="assistant"), Note(author="user"), text=text)

    expect(columns.features(), assistant_said=[said, 0], user_personal=[0, personal])


ENDS_ASKING, ASKS = Traits(2, 0, 0, 0, 0), Traits(1, 0, 0, 0, 0)


def neighbours():
    # A core is half of: share of the best BM25, share of the best similarity, kinship.
    return search(
        {"red": 4},
        Note("red", (1, 0), session="s", traits=ENDS_ASKING),  # (1 + 1 + 1) / 2
        Note("", (0.5, 0), session="s", traits=ASKS),  # (0 + 0.5 + 0) / 2
        Note("crimson", (0.1, 0), session="s"),  # (0 + 0.1 + 0.8) / 2
        kin=KIN | {"pink": {}},
    ).features()


def test_a_memory_borrows_from_what_stands_beside_it():
    expect(
        neighbours(),
        core=[1.5, 0.25, 0.45],
        core_before=[0, 1.5, 0.25],
        core_after=[0.25, 0.45, 0],
        core_before2=[0, 0, 1.5],
        core_after2=[0.45, 0, 0],
        core_beside=[0.25, 1.5, 0.25],
        soft_before=[0, 1, 0],
        soft_after=[0, 0.8, 0],
        similar_before=[0, 1, 0.5],
        similar_after=[0.5, 0.1, 0],
    )


def test_what_follows_a_question_may_answer_it():
    expect(
        neighbours(),
        asks=[1, 1, 0],
        asked_before=[0, 1, 1],
        core_asked_before=[0, 1.5, 0.25],
        core_ended_before=[0, 1.5, 0],
        core_asks_after=[0.25, 0, 0],
        core_asks=[1.5, 0.25, 0],
    )


def test_a_memory_is_compared_together_with_its_neighbour():
    first, second = Note(vector=(1, 0), session="s"), Note(vector=(0.6, 0.8), session="s")
    columns = search({"red": 4}, first, second, word_vectors=[(0, 1)]).features()

    # The sum of two unit vectors with a cosine of 0.6 is √(2 + 2 · 0.6) long.
    joined = sqrt(3.2)
    expect(
        columns,
        similar_with_before=[1, 1.6 / joined],
        similar_with_after=[1.6 / joined, 0.6],
        topical_with_before=[0, 0.8 / joined],
        topical_with_after=[0.8 / joined, 0.8],
    )


def test_neighbours_are_found_in_whichever_order_the_pool_has_them():
    second = Note("red", (0.6, 0.8), session="s", at=1)
    first = Note("", (1, 0), session="s", at=0)
    columns = search({"red": 4}, second, first).features()

    expect(
        columns,
        core_before=[0.5, 0],
        core_after=[0, 0.5 * (1 + 0.6 + 1)],
        similar_with_before=[1.6 / sqrt(3.2), 1],
        similar_with_after=[0.6, 1.6 / sqrt(3.2)],
        window_after=[1, 1],
    )


def test_neighbours_of_opposite_meaning_do_not_divide_by_nothing():
    first, second = Note(vector=(1, 0), session="s"), Note(vector=(-1, 0), session="s")
    columns = search({"red": 4}, first, second, toward=(0.5, 0.5)).features()

    expect(columns, similar_with_before=[0.5, 0], similar_with_after=[0, -0.5])


def test_a_pair_of_opposites_is_taken_for_at_least_a_third_of_a_memory_long():
    # Rounded vectors: the sum of (0.9, 0) and (-1, 0) is short, but not nothing.
    first, second = Note(vector=(0.9, 0), session="s"), Note(vector=(-1, 0), session="s")
    columns = search({"red": 4}, first, second).features()

    # 2 + 2 · (-0.9) = 0.2 is above the least of 0.1.
    expect(columns, similar_with_before=[0.9, -0.1 / sqrt(0.2)])

    first = Note(vector=(0.99, 0), session="s")
    columns = search({"red": 4}, first, second).features()

    expect(columns, similar_with_before=[0.99, -0.01 / sqrt(0.1)])


def sessions():
    return search(
        COLOURS,
        Note("red", (1, 0), session="long", at=0),  # BM25 4 of 6, core (2/3 + 1 + 2/3) / 2
        Note("blue", (0, 1), session="long", at=5),  # BM25 2 of 6, core (1/3 + 0 + 1/3) / 2
        Note("red blue", (0.2, 0), session="short"),  # BM25 6 of 6, core (1 + 0.2 + 1) / 2
        word_vectors=[(1, 0), (1, 0)],
    ).features()


def test_a_session_lends_its_memories_what_it_holds_as_a_whole():
    expect(
        sessions(),
        session_covered=[1, 1, 1],
        session_similar=[0.5, 0.5, 0.2],
        session_topical=[0.5, 0.5, 0.2],
        session_best=[7 / 6, 7 / 6, 1.1],
        session_top3=[(7 / 6 + 1 / 3) / 3, (7 / 6 + 1 / 3) / 3, 1.1 / 3],
        session_mean=[(7 / 6 + 1 / 3) / 2, (7 / 6 + 1 / 3) / 2, 1.1],
        session_rank=[1, 1 / 2, 1],
        has_session=[1, 1, 1],
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


def test_no_more_than_the_three_best_of_a_session_speak_for_it():
    notes = [Note(vector=(v, 0), session="s") for v in (0.4, 1, 0.8, 0.6)]
    columns = search({"red": 4}, *notes).features()

    # Only similarity is left of the core: its half.
    expect(
        columns,
        session_top3=[(1 + 0.8 + 0.6) / 2 / 3] * 4,
        session_mean=[(1 + 0.8 + 0.6 + 0.4) / 2 / 4] * 4,
        session_rank=[1 / 4, 1, 1 / 2, 1 / 3],
    )


def test_memories_without_a_session_do_not_make_one_together():
    columns = search(
        COLOURS, Note("red", (1, 0)), Note("blue", (0.5, 0)), Note("red", (0.2, 0), session="s")
    ).features()

    expect(
        columns,
        has_session=[0, 0, 1],
        session_best=[0, 0, 0.5 * (1 + 0.2 + 2 / 3)],
        session_covered=[0, 0, 2 / 3],
        session_similar=[0, 0, 0.2],
        session_rank=[0, 0, 1],
    )


def test_where_no_memory_has_a_session_nothing_is_said_of_sessions():
    columns = search(COLOURS, Note("red", (1, 0)), Note("blue")).features()

    told = {name: values for name, values in columns.items() if "session" in name}
    assert len(told) == 9
    assert not any(values.any() for values in told.values())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("when was it", {"when_times": [1, 0]}),
        ("how many are there", {"many_numbers": [2, 0]}),
        ("where is it", {"where_names": [3, 1]}),
        ("who was it", {"who_names": [3, 1]}),
        ("why is it", {"why_length": [log1p(12), log1p(12)]}),
        ("is it red", {}),
    ],
)
def test_what_a_memory_shows_counts_where_the_question_wants_it(text, wanted):
    shows = Note(traits=Traits(asks=1, times=1, numbers=2, names=3, first_person=2))
    other = Note(traits=Traits(asks=0, times=0, numbers=0, names=1, first_person=3))
    columns = search({"red": 4}, shows, other, text=text).features()

    expect(columns, times=[1, 0], numbers=[2, 0], names=[3, 1], personal=[2, 3])
    names = ("when_times", "many_numbers", "where_names", "who_names", "why_length")
    unasked = {name: [0, 0] for name in names}
    expect(columns, **unasked | wanted)


def test_a_place_from_the_top_counts_less_and_less():
    notes = [Note("blue", (0.2, 0)), Note("red", (0.1, 0)), Note("", (0.9, 0)), Note("", (0, 1))]
    columns = search(COLOURS, *notes, word_vectors=[(0, 1), (0, 1)]).features()

    first, second, third, fourth = 1, 5 / 6, 5 / 7, 5 / 8
    expect(
        columns,
        # What has the same score stands in the order of the pool.
        rank_lexical=[second, first, third, fourth],
        rank_soft=[second, first, third, fourth],
        rank_similar=[second, third, first, fourth],
        rank_topical=[second, third, fourth, first],
    )


def test_a_memory_is_compared_with_the_best_of_the_candidates():
    similar = [0.1 * (i + 1) for i in range(12)]
    notes = [Note(vector=(value, 1.0)) for value in similar]
    columns = search({"red": 4}, *notes).features()

    # Half the share of the best similarity, 1.2; the first two are not among the best ten.
    core = [0.5 * value / 1.2 for value in similar]
    best_ten = sum(core[2:]) / 10
    # The mean of the best five, by how good they are.
    across = sum(core[i] * similar[i] for i in range(7, 12))
    along = sum(core[7:])
    length = sqrt(across**2 + along**2)
    expect(
        columns,
        gap=[value - best_ten for value in core],
        like_best=[(value * across + along) / length for value in similar],
    )


def test_the_best_may_be_hardly_good_and_are_still_what_others_are_compared_with():
    # A kinship of 0.05 alone, so that the core is 0.025.
    columns = search(
        {"red": 4}, Note("dust", (0, 1)), Note("", (0, 0.5)), kin={"dust": {"red": 0.05}}
    ).features()

    expect(columns, core=[0.025, 0], like_best=[1, 0.5])


def test_a_chosen_model_is_heard_by_how_its_likeness_differs_from_its_mean():
    columns = search(
        {"red": 4},
        Note(session="s", chosen=(0.9, 0)),
        Note(session="s", chosen=(0.5, 0)),
        Note(session="s", chosen=None),
        Note(session="s", chosen=(0.4, 0.1)),
        toward_chosen=(1, 0),
    ).features()

    # The mean of those it has seen is 0.6, the differences 0.3, -0.1 and -0.2.
    spread = sqrt((0.09 + 0.01 + 0.04) / 3) + 0.01
    z = [0.3 / spread, -0.1 / spread, 0, -0.2 / spread]
    expect(
        columns,
        chosen_z=z,
        chosen_share=[1, -1 / 3, 0, -2 / 3],
        chosen_rank=[1, 5 / 7, 5 / 6, 5 / 8],
        chosen_before=[0, *z[:3]],
        chosen_after=[*z[1:], 0],
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
    expect(columns, chosen_rank=[1, 5 / 6])


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
        q_rarest=[4 * LN2 / 5] * 2,
        q_covered=[1 / 4] * 2,
        q_soft=[0.4 + 1 / 4] * 2,
        q_similar=[0.6] * 2,
        q_best_soft=[0.4] * 2,
        q_documents=[log10(44) / 5] * 2,
    )


@pytest.mark.parametrize(
    ("text", "when", "many", "said", "personal"),
    [
        ("when was it", 1, 0, 0, 0),
        ("how many are there", 0, 1, 0, 0),
        ("which one did you suggest", 0, 0, 1, 0),
        ("which is mine", 0, 0, 0, 1),
    ],
)
def test_what_a_question_asks_for_is_the_same_for_all(text, when, many, said, personal):
    columns = search({"red": 4}, Note(), Note(), text=text).features()

    expect(
        columns,
        q_when=[when] * 2,
        q_many=[many] * 2,
        q_said=[said] * 2,
        q_personal=[personal] * 2,
    )


def test_every_feature_is_a_finite_number_for_each_candidate():
    odd = [
        Note(),
        Note("red red", length=1),
        Note("", (0, 0), session="s", length=0),
        Note("blue", (1, 0), session="s", author="ann", chosen=(0, 0)),
    ]
    for count in range(1, len(odd) + 1):
        for words in ({}, {"red": 0}, COLOURS | {"ann": 1}):
            columns = search(words, *odd[:count], toward_chosen=(1, 0)).features()
            for name, values in columns.items():
                assert values.shape == (count,), name
                assert np.isfinite(values).all(), name
