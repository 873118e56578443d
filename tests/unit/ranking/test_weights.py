"""How much a word tells, and questions and pools with nothing in them."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranking_parts import candidates, matching, stem, term_key
from small_pools import Note, search

ranks = st.integers(0, 30_000)
counts = st.integers(0, 1_000)


def word(text="red", rank=92):
    return candidates.Word(text, term_key(stem(text)), rank)


def corpus(documents, **frequencies):
    return candidates.Corpus(
        documents, 12.0, {term_key(stem(w)): n for w, n in frequencies.items()}
    )


def test_of_the_texts_of_a_language_so_many_hold_a_word():
    assert matching.language_share(92) == pytest.approx(2.5 / 100)
    assert matching.language_share(2) == pytest.approx(0.25)
    # The commonest words are not in every text.
    assert matching.language_share(0) == pytest.approx(0.3)


def test_a_word_weighs_by_how_many_memories_hold_it():
    # Half of one of the 20 imagined memories holds it, so that all of them are n + ½.
    assert matching.word_weight(word(), corpus(43, red=3)) == pytest.approx(log(64 / 4))
    assert matching.word_weight(word(), corpus(43, red=31)) == pytest.approx(log(2))
    # A word that no memory holds: ln(1 + (43 + 20 - 5 + 0.5) / (5 + 0.5)).
    assert matching.word_weight(word(rank=2), corpus(43)) == pytest.approx(log(1 + 58.5 / 5.5))


def test_in_an_empty_store_words_weigh_as_in_the_language():
    rare, common = word(rank=20_000), word(rank=10)

    assert matching.word_weight(rare, corpus(0)) > matching.word_weight(common, corpus(0)) > 0


@given(ranks, counts, counts)
def test_a_word_that_more_memories_hold_never_weighs_more(rank, holders, more):
    some = corpus(2_000, red=holders)
    many = corpus(2_000, red=holders + more)

    assert matching.word_weight(word(rank=rank), many) <= matching.word_weight(
        word(rank=rank), some
    )


@given(ranks, ranks, counts)
def test_a_word_that_is_rarer_in_the_language_never_weighs_less(rank, rarer, holders):
    held = corpus(2_000, red=holders)

    assert matching.word_weight(word(rank=rank + rarer), held) >= matching.word_weight(
        word(rank=rank), held
    )


@given(counts, counts, ranks)
def test_a_weight_is_never_negative(documents, holders, rank):
    held = corpus(documents, red=min(holders, documents))

    assert matching.word_weight(word(rank=rank), held) > 0


def test_each_word_of_a_question_has_its_weight_in_order():
    asked = search({"databases": 4, "blue": 1}, Note())

    assert matching.word_weights(asked.probe, asked.pool.corpus) == pytest.approx([log(16), log(2)])


def test_a_question_for_what_is_near_in_meaning_has_vectors_and_no_words():
    vectors = {"some": np.array([1.0, 0.0], np.float32)}
    probe = candidates.wordless_probe("when did I ask how many", vectors)

    assert probe.text == "when did I ask how many"
    assert probe.vectors is vectors
    assert (probe.words, len(probe.terms), probe.authors) == ((), 0, frozenset())


def test_neighbours_are_named_by_how_far_they_lie_from_a_memory():
    assert candidates.NEIGHBOUR_OFFSETS == (-1, 1, -2, 2)


def test_an_empty_pool_has_no_candidates():
    empty = candidates.no_candidates(corpus(7))

    assert (empty.size, empty.matched, empty.next_offset) == (0, 0, 0)
    assert empty.corpus.documents == 7
    assert empty.neighbours.shape == (0, len(candidates.NEIGHBOUR_OFFSETS))
    assert not any(len(part) for part in empty.hits)
    assert all(len(column) == 0 for column in (empty.ids, empty.created, empty.lengths))


def test_a_pool_is_as_large_as_it_has_candidates():
    assert search({"red": 4}, Note(), Note(), Note()).pool.size == 3
