"""What speaks of the same rare things as the best candidate rises, and never above it."""

import numpy as np
from ranking_parts import bridges, candidates, score
from small_pools import Note, Search, search


def asked() -> Search:
    """The first meets the question; the others stand behind it in order."""
    return search(
        {"red": 4.0, "fox": 4.0},
        Note("red fox", (1.0, 0.0)),
        Note("fox", (0.8, 0.6)),
        Note("", (0.6, 0.8)),
        Note("", (0.5, 0.9)),
    )


def rare(*pairs: tuple[int, int]) -> candidates.RareWords:
    ids, holders = np.array(pairs, np.int64).reshape(-1, 2).T
    return candidates.RareWords(ids, holders)


def test_what_shares_a_rare_word_with_the_best_rises_below_it() -> None:
    pool, probe = asked()
    before = score.judged(pool, probe)
    after = score.bridged(before, pool, rare((100, 2), (103, 2)))

    assert before.order.tolist() == [0, 1, 2, 3]
    assert after.order.tolist().index(3) < 3
    assert after.best == 0
    assert after.scores[3] < after.scores[0]
    assert list(after.chances) == sorted(after.chances, reverse=True)


def test_how_likely_the_question_is_answered_stays_as_it_was() -> None:
    pool, probe = asked()
    before = score.judged(pool, probe)
    after = score.bridged(before, pool, rare((100, 2), (103, 2), (102, 2)))

    assert after.answered == before.answered
    assert after.silent == before.silent


def test_without_shared_words_nothing_changes() -> None:
    pool, probe = asked()
    before = score.judged(pool, probe)

    assert score.bridged(before, pool, rare()) is before
    # The best itself, and memories that are no candidates.
    assert score.bridged(before, pool, rare((100, 2), (999, 2))) is before


def test_the_rarer_a_word_the_more_it_leads() -> None:
    pool, _ = asked()
    alone, with_others = (bridges.strengths(pool, 0, rare((101, n)))[1] for n in (2, 4))

    assert alone > with_others > 0


def test_a_word_that_many_of_few_memories_hold_leads_nowhere() -> None:
    few = search({"red": 3.0}, Note("red"), Note(), documents=19)

    assert not bridges.strengths(few.pool, 0, rare((101, 2))).any()


def test_long_memories_share_words_by_chance() -> None:
    long = search({"red": 4.0}, Note("red", length=400), Note(length=400), Note())
    both, one = bridges.strengths(long.pool, 0, rare((101, 2), (102, 2)))[1:]

    assert both < one < 0.2
