"""From features to a verdict: how far a candidate stands out, how likely it is, what is shown."""

from math import cos, exp, log, sin
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_parts import candidates, label_key, rank_for, score
from small_pools import Note, search

COLOURS = {"red": 4, "blue": 2}


def expect(columns, **expected):
    for name, values in expected.items():
        assert columns[name].tolist() == pytest.approx(list(values), abs=1e-5), name


def standing(*scores):
    return score.standing(np.array(scores, np.float32))


def test_scores_become_shares_of_all_candidates_and_five_imagined_ones():
    # e^s of each is 1, 5 and 2; each of the imagined ones is e^0 = 1: of 13 in all.
    columns = standing(log(1), log(5), log(2))

    expect(
        columns,
        score=[log(1), log(5), log(2)],
        share=[log(1 / 13), log(5 / 13), log(2 / 13)],
    )


@pytest.mark.parametrize(("mass", "share"), [(1, 1 / 6), (5, 1 / 2), (45, 9 / 10)])
def test_a_single_candidate_is_not_the_answer_for_want_of_others(mass, share):
    expect(standing(log(mass)), share=[log(share)])


@pytest.mark.parametrize("others", [0, 1, 7, 100])
def test_how_two_shares_compare_is_the_same_however_many_others_there_are(others):
    share = standing(log(6), log(2), *[log(2)] * others)["share"]

    # All alike have the same share, and the better one has three times as much.
    expect({"share": share[1:]}, share=[log(2 / (13 + 2 * others))] * (1 + others))
    assert share[0] - share[1] == pytest.approx(log(3), abs=1e-5)


def test_the_imagined_are_nothing_beside_what_is_good_and_most_beside_what_is_bad():
    expect(standing(90, 90 + log(3)), share=[log(1 / 4), log(3 / 4)])
    expect(standing(-log(5), -log(5)), share=[log(0.2 / 5.4)] * 2)


def test_a_hopeless_candidate_is_no_worse_than_others():
    least = log(1e-5)

    expect(standing(90, 70, -500), share=[0, least, least])
    expect(standing(-500, -900), share=[least, least])


def test_a_lead_is_over_the_mean_of_the_ten_best():
    expect(standing(3, 0, 6), lead=[0, -3, 3])
    expect(standing(4), lead=[0])
    # The ten best are 2 to 11: 6.5 in the mean.
    expect(standing(*range(12)), lead=[value - 6.5 for value in range(12)])


scores = st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=15)


@given(scores, st.floats(0, 10, width=32))
def test_a_better_score_never_lowers_a_share_or_a_lead(others, better):
    worse, best = standing(0, *others), standing(better, *others)

    assert best["share"][0] >= worse["share"][0] - 1e-5
    assert best["lead"][0] >= worse["lead"][0] - 1e-5


def layer(**weights):
    return {"features": list(weights), "bias": [0.0], "weights": list(weights.values())}


def model(answered=None, relevance=None, gate=0.3, item=0.2):
    return score.model_from(
        {
            "ranking": layer(odds=1.0),
            "replaced": layer(lead=1.0),
            "answered": answered or layer(known=1.0),
            "relevance": relevance or layer(odds=1.0),
            "gate": gate,
            "item": item,
        }
    )


def columns(**values):
    values = {"q_strange": [0], **values}
    return {name: np.array(column, np.float32) for name, column in values.items()}


def test_a_memory_is_as_likely_as_the_question_is_answered_and_it_is_the_answer():
    answered, chances = score.likelihoods(
        model(),
        columns(score=[1, 3, 2, 0], known=[9, log(3), 9, 9], odds=[0, log(4), -log(3), 12]),
    )

    assert answered == pytest.approx(3 / 4)
    # A half, four of five, one of four, and nearly certain.
    assert chances.tolist() == pytest.approx(
        [3 / 8, 3 / 5, 3 / 16, 3 / 4 / (1 + exp(-12))], abs=1e-6
    )


@pytest.mark.parametrize(
    ("scores", "answered"), [([5, 1], 1 / 2), ([1, 5], 4 / 5), ([2, 2], 1 / 2)]
)
def test_whether_a_question_is_answered_is_judged_by_its_best_candidate(scores, answered):
    values = columns(score=scores, known=[0, log(4)], odds=[0, 0])

    assert score.likelihoods(model(), values)[0] == pytest.approx(answered)


@pytest.mark.parametrize(("near", "answered"), [(0.3, 0), (0.49, 0), (0.51, 4 / 5)])
def test_a_question_in_no_known_word_is_answered_by_what_is_near_alone(near, answered):
    values = columns(score=[1], known=[log(4)], odds=[0], q_strange=[1], q_similar=[near])

    assert score.likelihoods(model(), values)[0] == pytest.approx(answered)
    assert score.likelihoods(model(), values | columns(q_strange=[0]))[0] == pytest.approx(4 / 5)
    # A model that was chosen may know words which the static one does not.
    chosen = values | columns(q_strange=[1], chosen_z=[0])
    assert score.likelihoods(model(), chosen)[0] == pytest.approx(4 / 5)


def test_no_memory_is_likelier_than_that_the_question_is_answered():
    values = columns(score=[1, 0], known=[-log(9), 20], odds=[20, 20])

    assert score.likelihoods(model(), values)[1].tolist() == pytest.approx([0.1, 0.1])


def test_candidates_come_by_falling_score_and_what_is_alike_in_the_order_of_the_pool():
    order, chances = score.in_order(np.array([1.0, 3.0, 1.0, 2.0]), np.array([0.1, 0.9, 0.1, 0.5]))

    assert order.tolist() == [1, 3, 0, 2]
    assert chances.tolist() == [0.9, 0.5, 0.1, 0.1]


def test_a_candidate_is_at_least_as_likely_as_those_after_it():
    _, chances = score.in_order(np.array([4.0, 3.0, 2.0, 1.0]), np.array([0.2, 0.1, 0.7, 0.3]))

    assert chances.tolist() == [0.7, 0.7, 0.7, 0.3]


def shown(answered, chances, covered=()):
    held = np.array([i in covered for i in range(len(chances))])
    values = np.array(chances, np.float32)
    return score.relevant(answered, values, held, model(gate=0.3, item=0.2)).tolist()


def test_candidates_are_shown_that_are_likely_enough():
    assert shown(0.9, [0.8, 0.21, 0.19, 0.1]) == [True, True, False, False]


def test_what_is_half_as_likely_as_the_best_is_shown_where_nothing_is_likely():
    assert shown(0.9, [0.25, 0.125, 0.12]) == [True, True, False]
    # Half of the best is more than enough.
    assert shown(0.9, [0.5, 0.21]) == [True, True]


def test_what_is_far_less_likely_than_the_best_is_not_shown_beside_it():
    sure = model(item=0.01)

    assert score.relevant(0.9, np.array([0.9, 0.08, 0.07]), np.zeros(3, bool), sure).tolist() == [
        True, True, False,
    ]  # fmt: skip


def test_nothing_is_shown_where_the_question_is_hardly_answered():
    assert shown(0.29, [0.29, 0.28]) == [False, False]
    assert shown(0.3, [0.29, 0.01]) == [True, False]


@pytest.mark.parametrize(("answered", "likely"), [(0.29, False), (0.9, True)])
def test_what_holds_every_word_is_shown_however_likely_it_is(answered, likely):
    assert shown(answered, [0.28, 0.1, 0.05], covered={2}) == [likely, False, True]


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


def common_words(*words):
    notes = [Note("blue", (0.1, 0.9)), APART, Note("blue red", (0.1, 0.9)), APART]
    return search(dict.fromkeys(words, 0.05), *notes, documents=100_000)


def test_a_common_word_alone_is_found_wherever_it_stands():
    verdict = common_words("blue").rank()

    assert sorted(verdict.rows.tolist()) == [0, 2]
    assert verdict.all_matches


def test_of_common_words_the_memory_that_holds_all_comes_first():
    assert common_words("blue", "red").rank().rows.tolist()[0] == 2


@pytest.mark.parametrize(("words", "rows"), [(["blue"], {0, 2}), (["blue", "red"], {2})])
def test_of_a_question_that_is_hardly_answered_what_holds_all_its_words_is_found(
    words, rows, monkeypatch
):
    found = common_words(*words)
    strict = found.model()._replace(gate=1.0)
    monkeypatch.setattr(score, "shipped_model", lambda name: strict)

    assert set(found.rank().rows.tolist()) == rows
    # Whoever says how likely it has to be is answered by that alone.
    assert len(found.rank(min_score=0.0).rows) == 4


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
        texts=SimpleNamespace(probe=lambda text, whole: found.probe),
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
    traits=st.integers(0, 2),
    length=st.integers(1, 1_000),
    chosen=st.one_of(st.none(), st.just((0.8, 0.6)), st.just((0.0, 1.0))),
    hour=st.sampled_from([0, 1, 30, 1_000]),
)
searches = st.builds(
    lambda found, words, chosen, documents: search(
        {word: WORDS[word] for word in words},
        *found,
        kin={"crimson": {"red": 0.8}} if "red" in words else None,
        toward_chosen=chosen,
        documents=documents,
    ),
    st.lists(notes, min_size=1, max_size=12),
    st.lists(st.sampled_from(sorted(WORDS)), unique=True),
    st.sampled_from([None, (1.0, 0.0)]),
    st.sampled_from([1, 43, 1_000, 1_000_000]),
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
    rows, held = everything.rows.tolist(), found.features()["covered_all"] > 0.999
    model, best = found.model(), float(everything.chances[0])
    # Where the question is hardly answered even certainty would not be enough.
    likely = max(min(model.item, best / 2), 0.08 * best)
    enough = likely if found.likelihoods()[0] >= model.gate else 2
    wanted = everything.chances >= enough

    assert shown.rows.tolist() == [
        row for row, likely in zip(rows, wanted, strict=True) if likely or held[row]
    ]


@settings(max_examples=50)
@given(searches)
def test_the_same_search_has_the_same_verdict(found):
    first, second = found.rank(), found.rank()

    assert first.rows.tolist() == second.rows.tolist()
    assert first.chances.tolist() == second.chances.tolist()
    assert (first.wordless, first.all_matches) == (second.wordless, second.all_matches)


ROLES = {"user": "assistant", "assistant": "user"}


@settings(max_examples=50)
@given(searches)
def test_whether_the_user_or_the_assistant_said_it_makes_no_difference(found):
    one, other = (np.uint64(label_key("author", role)) for role in ROLES)
    author = found.pool.author
    swapped = np.where(author == one, other, np.where(author == other, one, author))
    before = found.rank(min_score=0.0)
    after = found._replace(pool=found.pool._replace(author=swapped)).rank(min_score=0.0)

    assert after.rows.tolist() == before.rows.tolist()
    assert after.chances.tolist() == before.chances.tolist()


def test_the_contents_of_a_conversation_rank_alike_whoever_says_them():
    said = [
        Note("red or blue", (0.6, 0.8), "s", author="user", traits=2),
        Note("red", (0.5, 0.8), "s", author="assistant"),
        Note("blue green", (0.4, 0.9), "s", author="user"),
        Note("green", (0.7, 0.7), "s", author="assistant"),
    ]
    swapped = [note._replace(author=ROLES[note.author]) for note in said]
    nobody = [note._replace(author=None) for note in said]

    verdicts = [three_words(*notes).rank(min_score=0.0) for notes in (said, swapped, nobody)]
    assert len({tuple(verdict.rows.tolist()) for verdict in verdicts}) == 1
    assert len({tuple(verdict.chances.tolist()) for verdict in verdicts}) == 1
