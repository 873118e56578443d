"""A server that misbehaves costs time at most, never a wrong vector and never a key."""

from __future__ import annotations

import json
import time
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from milepost.embedding.dialects import DIALECTS
from milepost.embedding.remote import RemoteEmbedder
from milepost.errors import EmbedderError
from milepost.transport.breaker import COOL_DOWN_S
from milepost.transport.timing import Timing

if TYPE_CHECKING:
    from tests.unit.embedding.conftest import Clock, Server


def open_at(server: Server, clock: Clock, *keys: str, timeout_s: float = 5.0) -> RemoteEmbedder:
    return RemoteEmbedder(
        DIALECTS["openai"], url=server.url, keys=keys, timeout_s=timeout_s, timing=clock.timing
    )


def answer(*vectors: Any) -> dict[str, Any]:
    return {"data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]}


def test_server_errors_are_tried_again_with_growing_waits(server: Server, clock: Clock) -> None:
    for status in (500, 502, 503):
        server.then(status=status)
    assert open_at(server, clock).embed(["a"]).shape == (1, 3)
    assert clock.slept == [0.5, 1.0, 2.0]


def test_waits_are_jittered_down_to_nothing(server: Server, clock: Clock) -> None:
    clock.dice = 0.25
    server.then(status=500)
    open_at(server, clock).embed(["a"])
    assert clock.slept == [0.125]


def test_a_question_gives_up_sooner_than_storing(server: Server, clock: Clock) -> None:
    for _ in range(3):
        server.then(status=503)
    with pytest.raises(EmbedderError, match="HTTP 503"):
        open_at(server, clock).embed_query("a")
    assert len(server.requests) == 2


@pytest.mark.parametrize("wait", ["7", "Thu, 01 Jan 1970 00:16:47 GMT"])
def test_a_rate_limit_is_waited_out_as_asked(server: Server, clock: Clock, wait: str) -> None:
    server.then(status=429, headers={"Retry-After": wait})
    assert open_at(server, clock).embed(["a"]).shape == (1, 3)
    assert clock.slept == [7.0]


def test_a_wait_beyond_the_limit_is_an_error_at_once(server: Server, clock: Clock) -> None:
    embedder = open_at(server, clock)
    server.then(status=429, headers={"Retry-After": "86400"})
    for _ in range(2):
        with pytest.raises(EmbedderError, match="rate limit"):
            embedder.embed(["a"])
    assert (clock.slept, len(server.requests)) == ([], 1)
    clock.now_s += 301
    assert embedder.embed(["a"]).shape == (1, 3)


@pytest.mark.parametrize("wait", ["soon", "-3", "Thu, 99 Foo 1970 00:00:00 GMT"])
def test_a_senseless_wait_is_ignored(server: Server, clock: Clock, wait: str) -> None:
    server.then(status=503, headers={"Retry-After": wait})
    open_at(server, clock).embed(["a"])
    assert clock.slept == [0.5]


def test_an_endless_wait_is_not_slept(server: Server, clock: Clock) -> None:
    server.then(status=503, headers={"Retry-After": "9" * 400})
    with pytest.raises(EmbedderError, match="HTTP 503"):
        open_at(server, clock).embed(["a"])
    assert clock.slept == []


def test_a_server_that_hangs_is_left_after_the_timeout(server: Server, clock: Clock) -> None:
    server.then(hang=True)
    assert open_at(server, clock, timeout_s=0.3).embed(["a"]).shape == (1, 3)
    assert clock.slept[0] == 0.5


def test_a_server_that_drips_its_answer_is_left_after_the_timeout(server: Server) -> None:
    seconds = count(step=3)
    timing = Timing(monotonic=lambda: float(next(seconds)), sleep=lambda _: None)
    embedder = RemoteEmbedder(DIALECTS["openai"], url=server.url, timeout_s=5, timing=timing)
    server.then(body=b" " * 1_000_000)
    server.then(body=b" " * 1_000_000)
    with pytest.raises(EmbedderError, match="no answer within 5 s"):
        embedder.embed_query("a")


def test_an_endless_answer_is_not_kept(
    server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("milepost.transport.connections.BODY_BYTES_MAX", 1_000)
    server.then(body=b" " * 2_000)
    server.then(body=b" " * 2_000)
    with pytest.raises(EmbedderError, match="more than 1000 bytes"):
        open_at(server, clock).embed_query("a")


def test_a_server_that_is_not_there_is_an_error_that_names_it(clock: Clock) -> None:
    embedder = RemoteEmbedder(DIALECTS["ollama"], url="http://127.0.0.1:9", timing=clock.timing)
    with pytest.raises(EmbedderError, match=r"ollama:nomic-embed-text@127.0.0.1:9.*refused"):
        embedder.embed(["a"])
    assert not embedder.status().healthy


@pytest.mark.parametrize(
    "misdeed",
    [
        {"cut": True},
        {"body": b"<html>hello</html>"},
        {"body": b"\xff\xfe"},
        {"body": b"[" * 100_000},
        {"body": b"{}"},
        {"body": b"[]"},
        {"body": b"null"},
        {"payload": {"data": {"0": 1}}},
        {"payload": {"data": ["a", "b"]}},
        {"payload": answer([1.0, 2.0, 3.0])},
        {"payload": answer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])},
        {"payload": answer([1.0, 2.0, 3.0], [1.0, 2.0])},
        {"payload": answer([1.0, 2.0], [1.0, 2.0])},
        {"payload": answer([], [])},
        {"payload": answer([1.0, 2.0, float("nan")], [1.0, 2.0, 3.0])},
        {"payload": answer([1.0, 2.0, float("inf")], [1.0, 2.0, 3.0])},
        {"payload": answer([1.0, 2.0, 1e300], [1.0, 2.0, 3.0])},
        {"payload": answer([1.0, 2.0, 10**400], [1.0, 2.0, 3.0])},
        {"payload": answer([1.0, 2.0, "3"], [1.0, 2.0, 3.0])},
        {"payload": answer([1.0, 2.0, None], [1.0, 2.0, 3.0])},
        {"payload": answer([1.0, 2.0, True], [1.0, 2.0, 3.0])},
        {"payload": answer("abc", [1.0, 2.0, 3.0])},
        {"payload": {"data": [{"index": 1, "embedding": [1.0, 2.0, 3.0]}] * 2}},
        {"payload": {"data": [{"index": i, "embedding": [1.0, 2.0, 3.0]} for i in (1, 2)]}},
    ],
    ids=lambda misdeed: json.dumps(misdeed, default=str)[:60],
)
def test_a_wrong_answer_is_never_believed(
    server: Server, clock: Clock, misdeed: dict[str, Any]
) -> None:
    embedder = open_at(server, clock)
    right = embedder.embed(["a", "bb"])
    server.then(**misdeed)
    assert embedder.embed(["a", "bb"]).tolist() == right.tolist()
    assert len(clock.slept) == 1


def test_vectors_out_of_order_are_put_in_order(server: Server, clock: Clock) -> None:
    embedder = open_at(server, clock)
    right = embedder.embed(["a", "bb"])
    swapped = [{"index": 1, "embedding": [2, 98, 1]}, {"index": 0, "embedding": [1, 97, 1]}]
    server.then(payload={"data": swapped})
    assert embedder.embed(["a", "bb"]).tolist() == right.tolist()


def test_a_refused_request_is_not_repeated_and_says_why(server: Server, clock: Clock) -> None:
    server.then(status=404, payload={"error": "model m not found"})
    embedder = open_at(server, clock)
    with pytest.raises(EmbedderError, match=r"HTTP 404.*model m not found"):
        embedder.embed(["a"])
    assert (len(server.requests), clock.slept) == (1, [])
    assert "model m not found" in embedder.status().note


def test_a_redirect_is_not_followed(server: Server, clock: Clock) -> None:
    server.then(status=307, headers={"Location": "http://127.0.0.1:9/"})
    with pytest.raises(EmbedderError, match="HTTP 307"):
        open_at(server, clock, "sk-1").embed(["a"])


def test_keys_take_turns(server: Server, clock: Clock) -> None:
    embedder = open_at(server, clock, "sk-1", "sk-2")
    for _ in range(3):
        embedder.embed(["a"])
    assert [request.key for request in server.requests] == ["sk-1", "sk-2", "sk-1"]


def test_a_refused_key_rests_and_the_others_serve(server: Server, clock: Clock) -> None:
    server.good_keys = {"sk-2"}
    embedder = open_at(server, clock, "sk-1", "sk-2")
    for _ in range(3):
        embedder.embed(["a"])
    assert [request.key for request in server.requests] == ["sk-1", "sk-2", "sk-2", "sk-2"]
    assert clock.slept == []


def test_a_rate_limited_key_rests_and_the_others_serve(server: Server, clock: Clock) -> None:
    server.then(status=429, headers={"Retry-After": "60"})
    embedder = open_at(server, clock, "sk-1", "sk-2")
    embedder.embed(["a"])
    embedder.embed(["a"])
    clock.now_s += 61
    embedder.embed(["a"])
    assert [request.key for request in server.requests] == ["sk-1", "sk-2", "sk-2", "sk-1"]
    assert clock.slept == []


def test_when_all_keys_are_refused_the_error_says_so(server: Server, clock: Clock) -> None:
    server.good_keys = set()
    embedder = open_at(server, clock, "sk-1", "sk-2")
    for _ in range(2):
        with pytest.raises(EmbedderError, match=r"valid API key.*HTTP 401 for all 2 API keys"):
            embedder.embed(["a"])
    assert len(server.requests) == 2


def test_a_server_that_wants_a_key_says_so(server: Server, clock: Clock) -> None:
    server.good_keys = {"sk-1"}
    with pytest.raises(EmbedderError, match="calls without an API key"):
        open_at(server, clock).embed(["a"])


def test_a_key_is_never_shown(server: Server, clock: Clock) -> None:
    embedder = open_at(server, clock, "sk-secret")
    for status in (400, 401):
        server.then(status=status, body=b"bad request with key sk-secret")
        with pytest.raises(EmbedderError) as failed:
            embedder.embed(["a"])
        shown = f"{failed.value!r} {embedder!r} {embedder.status()} {embedder.model}"
        assert "sk-secret" not in shown


def test_the_circuit_opens_after_failures_and_spares_the_server(
    server: Server, clock: Clock
) -> None:
    embedder = open_at(server, clock)
    for _ in range(5):
        server.then(status=503)
    for _ in range(4):
        with pytest.raises(EmbedderError):
            embedder.embed(["a"])
    assert len(server.requests) == 5
    until = time.strftime("%H:%M:%S", time.localtime(clock.now_s + COOL_DOWN_S))
    assert embedder.status().note == f"circuit open until {until} after 5 failures: HTTP 503"
    assert not embedder.status().healthy


def test_one_probe_closes_the_circuit_when_the_server_is_back(server: Server, clock: Clock) -> None:
    embedder = open_at(server, clock)
    for _ in range(5):
        server.then(status=503)
    for _ in range(2):
        with pytest.raises(EmbedderError):
            embedder.embed(["a"])
    clock.now_s += COOL_DOWN_S
    assert embedder.embed(["a"]).shape == (1, 3)
    assert embedder.status().healthy


def test_a_failed_probe_opens_the_circuit_again(server: Server, clock: Clock) -> None:
    embedder = open_at(server, clock)
    for _ in range(6):
        server.then(status=503)
    for _ in range(2):
        with pytest.raises(EmbedderError):
            embedder.embed(["a"])
    clock.now_s += COOL_DOWN_S
    for _ in range(3):
        with pytest.raises(EmbedderError, match="circuit open"):
            embedder.embed(["a"])
    assert len(server.requests) == 6
