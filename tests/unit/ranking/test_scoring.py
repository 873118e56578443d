"""From features to a verdict: what the first scores lend, what is shown, how likely it is."""

from math import cos, exp, log, sin
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_parts import Traits, candidates, rank_for, score
from small_pools import Note, search

COLOURS = {"red": 4, "blue": 2}


def context(scores, *notes):
    found = search({}, *notes)
    return score.context(found.pool, np.array(scores, np.float32))


def expect(columns, **expected):
    for name, values in expected.items():
        assert columns[name].tolist() == pytest.approx(list(values), abs=1e-5), name


def test_first_scores_become_shares_of_all_candidates():
    columns = context([log(1), log(5), log(2)], Note(), Note(), Note())

    expect(
        columns,
        first=[log(1), log(5), log(2)],
        first_share=[1 / 8, 5 / 8, 2 / 8],
        first_log=[log(1 / 8), log(5 / 8), log(2 / 8)],
        first_rank=[1 / 3, 1, 1 / 2],
        first_rank_log=[log(3), log(1), log(2)],
    )


def test_the_shares_are_the_same_however_high_the_scores_are():
    expect(context([90, 90 + log(3)], Note(), Note()), first_share=[1 / 4, 3 / 4])


def test_a_hopeless_candidate_is_no_worse_than_others():
    expect(context([0, -13, -500], Note(), Note(), Note()), first_log=[0, -12, -12])


def test_neighbours_lend_their_first_scores():
    session = [Note(session="s") for _ in range(4)]
    columns = context([log(1), log(2), log(4), log(1)], *session)

    one, two, four = log(1 / 8), log(2 / 8), log(4 / 8)
    absent = -8
    expect(
        columns,
        first_before=[absent, one, two, four],
        first_after=[two, four, one, absent],
        first_before2=[absent, absent, one, two],
        first_after2=[four, one, absent, absent],
        first_beside=[two, four, two, four],
        first_beside2=[four, one, one, two],
        first_over_beside=[one - two, two - four, four - two, one - four],
        first_over_beside2=[one - four, two - one, four - one, one - two],
        first_share_before=[0, 1 / 8, 2 / 8, 4 / 8],
        first_share_after=[2 / 8, 4 / 8, 1 / 8, 0],
    )


def test_neighbours_lend_in_whichever_order_the_pool_has_them():
    columns = context([log(1), log(3)], Note(session="s", at=1), Note(session="s", at=0))

    expect(
        columns,
        first_before=[log(3 / 4), -8],
        first_after=[-8, log(1 / 4)],
        first_share_before=[3 / 4, 0],
        first_share_after=[0, 1 / 4],
    )


def test_a_session_lends_the_best_and_the_rest_of_its_scores():
    columns = context(
        [log(1), log(2), log(4), log(1)],
        Note(session="s"),
        Note(session="t"),
        Note(session="s", at=7),
        Note(),
    )

    expect(
        columns,
        first_session_best=[log(4 / 8), log(2 / 8), log(4 / 8), -12],
        first_session_rest=[4 / 8, 0, 1 / 8, 0],
    )


def test_memories_without_sessions_lend_each_other_nothing():
    expect(
        context([0, 0], Note(), Note()), first_session_best=[-12, -12], first_session_rest=[0, 0]
    )


def test_candidates_come_by_falling_score_and_what_is_alike_in_the_order_of_the_pool():
    order, chances = score.in_order(np.array([1.0, 3.0, 1.0, 2.0]), np.array([0.1, 0.9, 0.1, 0.5]))

    assert order.tolist() == [1, 3, 0, 2]
    assert chances.tolist() == [0.9, 0.5, 0.1, 0.1]


def test_a_candidate_is_at_least_as_likely_as_those_after_it():
    _, chances = score.in_order(np.array([4.0, 3.0, 2.0, 1.0]), np.array([0.2, 0.1, 0.7, 0.3]))

    assert chances.tolist() == [0.7, 0.7, 0.7, 0.3]


def shown(chances, covered=(), gate=0.3, item=0.25):
    values = np.array(chances)
    held = np.array([i in covered for i in range(len(values))])
    return score.relevant(values, held, gate, item).tolist()


def test_candidates_are_shown_down_to_a_share_of_the_best():
    assert shown([0.8, 0.21, 0.2, 0.19]) == [True, True, True, False]


def test_nothing_is_shown_where_the_best_does_not_reach_the_gate():
    assert shown([0.29, 0.28]) == [False, False]
    assert shown([0.3, 0.01]) == [True, False]


def test_what_holds_every_word_is_shown_though_the_best_does_not_reach_the_gate():
    assert shown([0.2, 0.1, 0.05], covered={2}) == [False, False, True]


def test_what_holds_every_word_must_be_likely_where_something_else_is():
    assert shown([0.8, 0.1], covered={1}) == [True, False]


def test_odds_become_probabilities():
    layer = {"features": ["odds"], "bias": [0.0], "weights": [1.0]}
    data = {"first": layer, "second": layer, "calibration": layer, "gate": 0.0, "item": 0.0}
    columns = {"odds": np.array([0, log(3), -log(3), 12], np.float32)}

    chances = score.probabilities(score.model_from(data), columns)
    assert chances.tolist() == pytest.approx([0.5, 0.75, 0.25, 1 / (1 + exp(-12))])


def test_the_nearest_are_near_by_whichever_model_finds_them_so():
    notes = [
        Note(vector=(0.1, 0), chosen=(0.9, 0)),
        Note(vector=(0.95, 0), chosen=(0.2, 0)),
        Note(vector=(-0.5, 0), chosen=(-0.3, 0)),
        Note(vector=(0.9, 0), chosen=(0, 0)),
    ]
    ids, likeness = score.nearest(*search(COLOURS, *notes, toward_chosen=(1, 0)))

    assert ids == [101, 100, 103, 102]
    # What points away is as far as what has nothing to do with it.
    assert likeness == pytest.approx([0.95, 0.9, 0.9, 0])


def test_a_model_that_knows_no_candidate_finds_none_near():
    found = search(COLOURS, Note(vector=(0.1, 0)))
    vectors = found.probe.vectors | {"unknown": np.ones(3, np.float32)}

    assert score.nearest(found.pool, found.probe._replace(vectors=vectors))[1] == pytest.approx(
        [0.1]
    )


def test_an_empty_pool_answers_nothing():
    nothing = candidates.no_candidates(candidates.Corpus(43, 12.0, {}))
    verdict = score.rank(nothing, search(COLOURS, Note()).probe, None)

    assert (len(verdict.rows), len(verdict.chances), verdict.wordless) == (0, 0, 0)
    # Not one match is missing, so that those beyond the pool count.
    assert verdict.all_matches


@pytest.mark.parametrize("documents", [1, 5, 43, 1_003, 100_000])
@pytest.mark.parametrize("count", [1, 8, 40])
def test_candidates_that_have_nothing_to_do_with_a_question_are_not_shown(documents, count):
    apart = [Note("other words", (0.05, 0.9), length=8 + i) for i in range(count)]
    words = {"red": 4, "blue": 4, "green": 4}
    verdict = search(words, *apart, documents=documents).rank()

    assert verdict.rows.tolist() == []
    assert verdict.all_matches


ANSWER = Note("red blue green", (0.7, 0.7))
NEAR = Note("red", (0.3, 0.9))
APART = Note("other words", (0.05, 0.99))


def three_words(*notes, **more):
    return search({"red": 4, "blue": 4, "green": 4}, *notes, **more)


def test_the_answer_comes_first_and_what_has_nothing_to_do_with_it_not_at_all():
    verdict = three_words(APART, NEAR, ANSWER, APART).rank()

    assert verdict.rows.tolist()[0] == 2
    assert verdict.chances[0] > 0.5
    assert not {0, 3} & set(verdict.rows.tolist())


def test_a_common_word_alone_is_found_wherever_it_stands():
    notes = [Note("blue", (0.1, 0.9)), APART, Note("blue", (0.1, 0.9)), APART]
    verdict = search({"blue": 0.05}, *notes, documents=100_000).rank()

    # Nothing reaches the gate of 0.03.
    assert verdict.chances[0] < 0.03
    assert sorted(verdict.rows.tolist()) == [0, 2]
    assert verdict.all_matches


def test_of_common_words_all_must_stand_in_a_memory_that_is_not_likely():
    notes = [Note("blue", (0.1, 0.9)), APART, Note("blue red", (0.1, 0.9)), APART]
    verdict = search({"blue": 0.05, "red": 0.03}, *notes, documents=100_000).rank()

    assert verdict.chances[0] < 0.03
    assert verdict.rows.tolist() == [2]


def test_what_is_less_likely_than_asked_is_not_shown():
    found = three_words(APART, NEAR, ANSWER, APART)
    chances = sorted(found.chances(), reverse=True)

    for count, least in enumerate(chances, 1):
        verdict = found.rank(min_score=least)
        assert len(verdict.rows) >= count
        assert min(verdict.chances) >= least
    assert len(found.rank(min_score=0.0).rows) == 4
    assert len(found.rank(min_score=1.0).rows) == 0


def test_a_verdict_says_how_many_share_no_word_and_whether_all_that_do_are_shown():
    kindred = Note("crimson", (0.5, 0.8))
    found = three_words(APART, NEAR, ANSWER, kindred, kin={"crimson": {"red": 0.8}})

    everything = found.rank(min_score=0.0)
    assert everything.wordless == 2
    assert everything.all_matches

    chances = found.chances()
    best = found.rank(min_score=chances[2])
    assert best.rows.tolist() == [2]
    assert (best.wordless, best.all_matches) == (0, False)

    nothing = found.rank(min_score=1.0)
    assert (nothing.wordless, nothing.all_matches) == (0, False)


def total(found, min_score):
    """Return how many memories a search counts whose store gives this pool."""
    candidates = SimpleNamespace(find=lambda probe, where, size: found.pool)
    context = SimpleNamespace(
        texts=SimpleNamespace(probe=lambda text: found.probe),
        store=SimpleNamespace(candidates=candidates),
    )
    return rank_for(context, "red blue green", None, 5, min_score).total


def test_matches_beyond_the_pool_are_counted_where_all_within_it_are_relevant():
    kindred = Note("crimson", (0.5, 0.8))
    kin = {"crimson": {"red": 0.8}}
    found = three_words(NEAR, ANSWER, kindred, kin=kin, matched=70)

    # The kindred one shares no word, so that it is not among the 70.
    assert total(found, min_score=0.0) == 71


def test_matches_beyond_the_pool_are_not_counted_where_one_within_it_is_not_relevant():
    found = three_words(NEAR, ANSWER, APART, matched=70)

    assert total(found, min_score=found.chances()[1]) == 1
    assert total(found, min_score=1.0) == 0


WORDS = {"red": 4, "blue": 2, "ann": 3}
notes = st.builds(
    Note,
    text=st.lists(st.sampled_from([*WORDS, "crimson", "other"]), max_size=6).map(" ".join),
    vector=st.floats(0, 6.3).map(lambda angle: (cos(angle), sin(angle))),
    session=st.sampled_from([None, "s", "t"]),
    author=st.sampled_from([None, "ann", "user", "assistant"]),
    traits=st.builds(Traits, st.integers(0, 2), *[st.integers(0, 3)] * 4),
    length=st.integers(1, 1_000),
    chosen=st.one_of(st.none(), st.just((0.8, 0.6)), st.just((0.0, 1.0))),
)
searches = st.builds(
    lambda found, words, chosen, documents, text: search(
        {word: WORDS[word] for word in words},
        *found,
        kin={"crimson": {"red": 0.8}} if "red" in words else None,
        toward_chosen=chosen,
        documents=documents,
        text=text,
    ),
    st.lists(notes, min_size=1, max_size=12),
    st.lists(st.sampled_from(sorted(WORDS)), unique=True),
    st.sampled_from([None, (1.0, 0.0)]),
    st.sampled_from([1, 43, 1_000, 1_000_000]),
    st.sampled_from(["", "when did I", "how many did you suggest"]),
)


@settings(max_examples=50)
@given(searches)
def test_chances_lie_between_nothing_and_certainty_and_fall_with_rank(found):
    verdict = found.rank(min_score=0.0)

    assert sorted(verdict.rows.tolist()) == list(range(found.pool.size))
    assert all(0 <= chance <= 1 for chance in verdict.chances.tolist())
    assert (np.diff(verdict.chances) <= 0).all()


@settings(max_examples=50)
@given(searches, st.floats(0, 1), st.floats(0, 1))
def test_whoever_asks_for_surer_memories_sees_fewer_of_the_same(found, one, other):
    least, most = sorted((one, other))
    few, many = found.rank(most), found.rank(least)

    assert few.rows.tolist() == many.rows.tolist()[: len(few.rows)]
    assert all(chance >= np.float32(most) for chance in few.chances)


@settings(max_examples=50)
@given(searches)
def test_what_is_shown_of_itself_is_among_the_best_or_holds_every_word(found):
    everything, shown = found.rank(min_score=0.0), found.rank()
    held = found.features()["covered_all"]

    if len(shown.rows) and everything.chances[0] >= 0.03:
        assert shown.rows.tolist() == everything.rows.tolist()[: len(shown.rows)]
        assert min(shown.chances) >= 0.025 * everything.chances[0]
    else:
        assert set(shown.rows.tolist()) == {row for row in everything.rows if held[row] > 0.999}


@settings(max_examples=50)
@given(searches)
def test_the_same_search_has_the_same_verdict(found):
    first, second = found.rank(), found.rank()

    assert first.rows.tolist() == second.rows.tolist()
    assert first.chances.tolist() == second.chances.tolist()
    assert (first.wordless, first.all_matches) == (second.wordless, second.all_matches)
