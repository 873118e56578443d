"""The shipped embedder works at once, offline, and the same way for every batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.embedding import open_embedder
from milepost.embedding.static import CHUNK_TOKENS, TOKENS_MAX, StaticEmbedder

EMBEDDER = StaticEmbedder()


def test_static_opens_by_name_and_tells_its_model() -> None:
    embedder = open_embedder("static")
    assert (embedder.model, embedder.dim) == ("static:potion-base-8M-int8", 256)
    assert embedder.status().healthy


def test_texts_that_mean_the_same_are_closer_than_texts_that_do_not() -> None:
    cat, kitten, rates = EMBEDDER.embed(
        ["the cat sat on the mat", "a kitten rested on the rug", "interest rates rose again"]
    )
    assert cat @ kitten > 0.3
    assert cat @ rates < 0.1


def test_a_vector_stays_what_it_was_when_it_was_stored() -> None:
    vector = EMBEDDER.embed_query("Where did Anna put the keys?")
    frozen = [-0.0748788, 0.0673335, -0.1167104, -0.0115387]
    assert vector[:4] == pytest.approx(frozen, abs=1e-6)


def test_a_text_gets_the_same_bits_alone_and_in_any_batch() -> None:
    texts = [f"memory {i} about topic {i % 7} " * (1 + i % 90) for i in range(300)]
    alone = np.stack([EMBEDDER.embed_query(text) for text in texts])
    assert np.array_equal(EMBEDDER.embed(texts), alone)
    assert np.array_equal(EMBEDDER.embed(texts[::-1]), alone[::-1])


def test_a_text_without_a_known_token_is_a_row_of_zeros() -> None:
    rows = EMBEDDER.embed(["", "🦊🦊", "fox", " \n"])
    assert rows.any(axis=1).tolist() == [False, False, True, False]


def test_no_texts_give_no_rows() -> None:
    assert EMBEDDER.embed([]).shape == (0, 256)


def test_a_megabyte_of_text_costs_no_more_than_its_first_tokens() -> None:
    ids = EMBEDDER.token_ids("a b c d " * 131_072)
    assert len(ids) == TOKENS_MAX > CHUNK_TOKENS
    assert np.linalg.norm(EMBEDDER.embed_query("中" * 1_000_000)) == pytest.approx(1, abs=1e-5)


def test_the_vectors_of_single_tokens_can_be_read() -> None:
    ids = EMBEDDER.token_ids("fox")
    assert [list(EMBEDDER.numbers)[i] for i in ids] == ["fox"]
    token = EMBEDDER.token_vectors(ids)[0]
    assert token / np.linalg.norm(token) == pytest.approx(EMBEDDER.embed_query("fox"), abs=1e-6)


@given(st.lists(st.text(alphabet=st.characters()), max_size=5))
def test_any_texts_give_unit_rows_or_zeros(texts: list[str]) -> None:
    rows = EMBEDDER.embed(texts)
    lengths = np.linalg.norm(rows, axis=1)
    assert rows.shape == (len(texts), 256)
    assert ((np.abs(lengths - 1) < 1e-5) | (lengths == 0)).all()
