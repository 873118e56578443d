"""Several servers: which of them is asked, and for how long one that is away is left alone."""

from __future__ import annotations

from email.message import Message

import pytest

from milepost.location import servers_of
from milepost.transport.connections import Reply, Request, TransportError
from milepost.transport.servers import PAUSES, Server, Servers
from milepost.transport.timing import Timing

REQUEST = Request("POST", "/x", {})


class Made:
    """A server that answers as it is told to, and what time it is."""

    def __init__(self) -> None:
        self.now = 100.0
        self.asked: list[str] = []
        self.away: set[str] = set()
        self.status: dict[str, int] = {}

    def servers(self, *urls: str) -> Servers:
        timing = Timing(monotonic=lambda: self.now, random=lambda: 1.0)
        return Servers([Server(url, Asked(self, url)) for url in urls], timing)  # type: ignore[arg-type]

    def ask(self, servers: Servers) -> list[str]:
        """Return who was asked."""
        self.asked = []
        with_answer = len(self.away) < len(servers._servers)
        if with_answer:
            servers.ask(REQUEST)
        else:
            with pytest.raises(TransportError):
                servers.ask(REQUEST)
        return self.asked


class Asked:
    """The connections to one of them."""

    def __init__(self, made: Made, url: str) -> None:
        self._made, self._url = made, url

    def ask(self, request: Request) -> Reply:
        del request
        self._made.asked.append(self._url)
        if self._url in self._made.away:
            raise TransportError("refused")
        return Reply(self._made.status.get(self._url, 200), "", Message())  # type: ignore[arg-type]


def test_who_answered_last_is_asked_first() -> None:
    made = Made()
    servers = made.servers("a", "b", "c")
    assert made.ask(servers) == ["a"]
    made.away = {"a"}
    assert made.ask(servers) == ["a", "b"]
    made.away = set()
    assert made.ask(servers) == ["b"]
    made.now += 1_000
    assert made.ask(servers) == ["b"]
    assert servers.away() == ["a"]


def test_who_was_away_is_left_alone_for_longer_each_time_unless_all_are() -> None:
    made = Made()
    servers = made.servers("a", "b")
    made.away = {"a", "b"}
    pauses = []
    for _ in range(9):
        assert made.ask(servers) in (["a", "b"], ["b", "a"])
        pauses.append(min(server.away_until_s for server in servers._servers) - made.now)
        made.now += pauses[-1]
    assert pauses == sorted(pauses)
    assert pauses[0] == PAUSES.wait_s_base
    assert pauses[-1] == PAUSES.wait_s_max

    made.away = {"a"}
    made.ask(servers)
    made.status = {"b": 503}
    made.now += 0.001
    assert made.ask(servers) == ["b"], "b said something, and a is away"


def test_of_busy_servers_the_last_one_says_so() -> None:
    made = Made()
    made.status = {"a": 429, "b": 503}
    servers = made.servers("a", "b")
    url, reply = servers.ask(REQUEST)
    assert (url, reply.status) == ("b", 503)
    assert servers.away() == ["b"]


def test_addresses_are_told_apart_by_how_they_begin() -> None:
    assert servers_of("http://a:1, https://b/x,y/ ,http://a:1/") == ["http://a:1", "https://b/x,y"]
    assert servers_of("http://a/") == ["http://a"]
