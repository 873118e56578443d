"""A vector is computed once and remembered within a limit."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from milepost.embedding.vector_cache import ENTRY_BYTES, CachingEmbedder
from milepost.ports import EmbedderStatus


class Counting:
    """Embed a text as its length and note what was asked."""

    model = "counting"
    dim = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([[len(text), 1] for text in texts], np.float32).reshape(len(texts), 2)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        return np.array([len(text), 2], np.float32)

    def status(self) -> EmbedderStatus:
        return EmbedderStatus(self.model, healthy=True, note="")


def test_a_known_text_is_not_embedded_again() -> None:
    inner = Counting()
    cache = CachingEmbedder(inner)
    first = cache.embed(["a", "bb"])
    assert np.array_equal(cache.embed(["bb", "ccc", "a"])[[2, 0]], first)
    assert inner.asked == ["a", "bb", "ccc"]


def test_a_text_that_occurs_twice_in_a_batch_is_embedded_once() -> None:
    inner = Counting()
    rows = CachingEmbedder(inner).embed(["a", "bb", "a"])
    assert rows[:, 0].tolist() == [1, 2, 1]
    assert inner.asked == ["a", "bb"]


def test_a_question_and_a_document_with_the_same_words_are_not_confused() -> None:
    cache = CachingEmbedder(Counting())
    assert cache.embed(["a"])[0].tolist() == [1, 1]
    assert cache.embed_query("a").tolist() == [1, 2]


def test_changing_a_returned_vector_does_not_change_the_cache() -> None:
    cache = CachingEmbedder(Counting())
    for _ in range(3):
        question, rows = cache.embed_query("a"), cache.embed(["a"])
        assert (question.tolist(), rows.tolist()) == ([1, 2], [[1, 1]])
        question[:], rows[:] = 9, 9


def test_the_least_recently_used_vectors_make_room() -> None:
    inner = Counting()
    cache = CachingEmbedder(inner, bytes_max=2 * (ENTRY_BYTES + 8))
    cache.embed(["a", "bb"])
    cache.embed(["a"])
    cache.embed(["ccc"])
    inner.asked.clear()
    cache.embed(["a", "ccc"])
    assert inner.asked == []
    cache.embed(["bb"])
    assert inner.asked == ["bb"]


def test_a_batch_larger_than_the_cache_is_still_answered() -> None:
    cache = CachingEmbedder(Counting(), bytes_max=0)
    assert cache.embed(["a", "bb"])[:, 0].tolist() == [1, 2]


def test_no_texts_give_no_rows() -> None:
    assert CachingEmbedder(Counting()).embed([]).shape == (0, 2)


def test_threads_share_the_cache_safely() -> None:
    cache = CachingEmbedder(Counting(), bytes_max=20 * (ENTRY_BYTES + 8))
    batches = [["x" * (1 + (i * j) % 37) for j in range(20)] for i in range(50)]
    with ThreadPoolExecutor(8) as pool:
        for batch, rows in zip(batches, pool.map(cache.embed, batches), strict=True):
            assert rows[:, 0].tolist() == [len(text) for text in batch]
