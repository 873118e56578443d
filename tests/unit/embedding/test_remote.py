"""A remote embedder speaks three dialects and sends what each server can take."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from milepost.embedding import open_embedder
from milepost.embedding.remote import TEXT_CHARACTERS_MAX

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tests.unit.embedding.conftest import Server

    from milepost.ports import Embedder


def unit(*numbers: float) -> NDArray[np.float64]:
    row: NDArray[np.float64] = np.array(numbers) / np.linalg.norm(numbers)
    return row


def open_at(server: Server, kind: str = "openai", model: str = "m") -> Embedder:
    return open_embedder(f"{kind}:{server.url}#{model}")


@pytest.mark.parametrize(
    ("kind", "path"),
    [("openai", "/v1/embeddings"), ("cohere", "/v2/embed"), ("ollama", "/api/embed")],
)
def test_each_dialect_brings_unit_vectors_home(server: Server, kind: str, path: str) -> None:
    embedder = open_at(server, kind)
    rows = embedder.embed(["abc", "b"])
    assert rows == pytest.approx(np.stack([unit(3, 97, 1), unit(1, 98, 1)]), abs=1e-6)
    assert rows.dtype == np.float32
    assert embedder.embed_query("abc") == pytest.approx(rows[0], abs=1e-6)
    assert {request.path for request in server.requests} == {path}
    assert embedder.status().healthy


def test_a_path_in_the_url_is_where_the_api_starts(server: Server) -> None:
    open_embedder(f"openai:{server.url}/proxy/v1/").embed(["a"])
    assert server.requests[0].path == "/proxy/v1/embeddings"


def test_the_dimension_is_asked_for_once(server: Server) -> None:
    embedder = open_at(server)
    assert (embedder.dim, embedder.dim) == (3, 3)
    assert len(server.requests) == 1


def test_cohere_is_told_documents_from_questions(server: Server) -> None:
    embedder = open_at(server, "cohere")
    embedder.embed(["a"])
    embedder.embed_query("a")
    said = [request.body["input_type"] for request in server.requests]
    assert said == ["search_document", "search_query"]


def test_a_model_that_wants_prefixes_gets_them(server: Server) -> None:
    embedder = open_at(server, "ollama", "nomic-embed-text")
    embedder.embed(["a"])
    embedder.embed_query("a")
    said = [request.body["input"] for request in server.requests]
    assert said == [["search_document: a"], ["search_query: a"]]


def test_blank_texts_are_zeros_and_are_not_sent(server: Server) -> None:
    rows = open_at(server).embed([" ", "a", ""])
    assert rows.any(axis=1).tolist() == [False, True, False]
    assert [request.body["input"] for request in server.requests] == [["a"]]


def test_no_texts_need_no_server(server: Server) -> None:
    assert len(open_at(server).embed([])) == 0
    assert server.requests == []


def test_many_texts_go_in_batches_and_come_back_in_order(server: Server) -> None:
    texts = ["x" * (1 + i % 50) for i in range(600)]
    rows = open_at(server).embed(texts)
    assert rows == pytest.approx(np.stack([unit(len(t), 120, 1) for t in texts]), abs=1e-6)
    assert [len(request.body["input"]) for request in server.requests] == [256, 256, 88]


def test_long_texts_are_cut_and_batches_limited_by_characters(server: Server) -> None:
    open_at(server).embed(["x" * 1_000_000] * 30)
    batches = [request.body["input"] for request in server.requests]
    assert [len(batch) for batch in batches] == [25, 5]
    assert {len(text) for batch in batches for text in batch} == {TEXT_CHARACTERS_MAX}


def test_half_a_surrogate_does_not_reach_the_server(server: Server) -> None:
    open_at(server).embed(["a\ud800b"])
    assert server.requests[0].body["input"] == ["a?b"]


def test_calls_reuse_one_connection(server: Server) -> None:
    embedder = open_at(server)
    for _ in range(5):
        embedder.embed(["a"])
    assert len(server.sockets) == 1


def test_a_connection_that_the_server_dropped_while_idle_is_replaced(server: Server) -> None:
    embedder = open_at(server)
    server.then(drop_after=True)
    assert embedder.embed(["a"]).shape == embedder.embed(["b"]).shape
    assert len(server.requests) == len(server.sockets) == 2


def test_threads_share_an_embedder(server: Server) -> None:
    embedder = open_at(server)
    texts = ["x" * i for i in range(1, 41)]
    with ThreadPoolExecutor(8) as pool:
        for text, row in zip(texts, pool.map(embedder.embed_query, texts), strict=True):
            assert row == pytest.approx(unit(len(text), 120, 1), abs=1e-6)
