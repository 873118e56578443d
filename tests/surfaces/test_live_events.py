"""Who listens at /events/stream hears what happens, of their own space, as long as they may."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from milepost.app import Milepost, open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running
from milepost.surfaces.http.live import LISTENERS_MAX
from support import PATIENCE_S

pytestmark = pytest.mark.slow
Listen = Callable[..., "Stream"]


class Stream:
    """A client that listens."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_S)
        self.connection.request("GET", "/events/stream", headers=headers)
        self.response = self.connection.getresponse()
        if self.response.status == 200:
            assert self.response.readline().startswith(b"retry:")

    def messages(self) -> Iterator[tuple[str, str, Any]]:
        """Yield name, id and data of each message until the server ends."""
        fields: dict[str, str] = {}
        for line in iter(self.response.readline, b""):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif "data" in fields:
                yield fields["event"], fields.get("id", ""), json.loads(fields["data"])
                fields = {}

    def happened(self) -> tuple[str, str]:
        """Wait for the next event; return its number and content."""
        return next((n, data["content"]) for kind, n, data in self.messages() if kind == "happened")

    def close(self) -> None:
        self.connection.close()


@pytest.fixture
def memory(path: Path) -> Iterator[Milepost]:
    with open_memory(settings_for(path)) as opened:
        yield opened


@pytest.fixture
def listen(memory: Milepost, path: Path) -> Iterator[Listen]:
    settings = settings_for(path)._replace(port=0, key="sesame")
    with running(memory, settings) as url, ExitStack() as closing:

        def listening(key: str = "sesame", **headers: str) -> Stream:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            stream = Stream(url, named | {"Authorization": f"Bearer {key}"})
            closing.callback(stream.close)
            return stream

        yield listening


def test_what_happens_is_heard_in_its_order_and_with_its_marks(
    memory: Milepost, listen: Listen
) -> None:
    memory.record_event("action", "long ago", wait=True)
    stream = listen()

    memory.record_event("action", "ran\nthe tests", session_id="s1", wait=True)
    memory.within("other").record_event("action", "elsewhere", wait=True)
    memory.record_event("deploy", "v2 to staging", wait=True)

    assert stream.happened()[1] == "ran\nthe tests"
    assert stream.happened()[1] == "v2 to staging"


def test_who_comes_again_hears_what_they_missed(memory: Milepost, listen: Listen) -> None:
    stream = listen()
    memory.record_event("action", "one", wait=True)
    number, _ = stream.happened()
    stream.close()
    memory.record_event("action", "two", wait=True)
    memory.record_event("action", "three", wait=True)

    again = listen(Last_Event_ID=number)
    assert [again.happened()[1], again.happened()[1]] == ["two", "three"]
    assert listen(Last_Event_ID="yesterday").response.status == 400


def test_that_memories_changed_is_told_without_what_they_say(
    memory: Milepost, listen: Listen
) -> None:
    stream = listen()
    memory.store("The harbour opens at nine")

    name, _, data = next(stream.messages())
    assert (name, set(data)) == ("changed", {"state"})


def test_a_key_hears_its_space_alone_and_nothing_more_once_it_is_revoked(
    memory: Milepost, listen: Listen
) -> None:
    made = memory.create_key("ann", scope="read", spaces="team-a")
    assert listen("mp_nobody").response.status == 401
    assert listen(made.secret, Milepost_Space="default").response.status == 403

    stream = listen(made.secret)
    memory.record_event("action", "elsewhere", wait=True)
    memory.within("team-a").record_event("action", "here", wait=True)
    assert stream.happened()[1] == "here"

    memory.revoke_key("ann")
    assert list(stream.messages()) == []


def test_one_thread_asks_for_all_who_listen_and_they_are_no_more_than_so_many(
    memory: Milepost, listen: Listen
) -> None:
    first = listen()
    memory.record_event("action", "one", wait=True)
    first.happened()
    before = threading.active_count()
    others = [listen() for _ in range(LISTENERS_MAX - 1)]

    memory.record_event("action", "two", wait=True)
    assert {stream.happened()[1] for stream in (first, *others)} == {"two"}
    # Those that answer calls are there by now too, of which there are a few.
    assert threading.active_count() - before < 10
    assert listen().response.status == 429
