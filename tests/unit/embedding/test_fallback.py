"""An embedder that is away gives None, and says so once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from milepost.embedding.dialects import DIALECTS
from milepost.embedding.fallback import ResilientEmbedder
from milepost.embedding.remote import RemoteEmbedder

if TYPE_CHECKING:
    from tests.unit.embedding.conftest import Clock, Server


def test_none_while_away_and_vectors_when_back(
    server: Server, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    remote = RemoteEmbedder(DIALECTS["openai"], url=server.url, timing=clock.timing)
    embedder = ResilientEmbedder(remote)
    for _ in range(4):
        server.then(status=400)
    assert embedder.try_embed_query("a") is None
    assert embedder.try_embed_query("a") is None
    assert embedder.try_embed(["a"]) is None
    assert not embedder.status().healthy
    assert embedder.try_embed(["a"]) is None
    assert embedder.try_embed(["a"]) is not None
    assert embedder.try_embed_query("a") is not None
    assert embedder.status().healthy
    away, back = caplog.messages
    assert "unavailable" in away
    assert "HTTP 400" in away
    assert "available again" in back
