"""Servers of one store are added up, and one that is killed loses seconds of what it counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from test_several_servers import Served

from milepost.surfaces.client import MilepostClient
from support import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def servers(path: Path) -> Iterator[tuple[Served, Served]]:
    pair = Served(path), Served(path)
    yield pair
    for server in pair:
        server.kill()


def figure(server: Served, name: str) -> float:
    """Return a figure of a server's /metrics, over all labels that the name does not tell."""
    with urlopen(f"{server.url}/metrics") as reply:
        text = reply.read().decode()
    begin, _, rest = name.partition("{")
    labels = rest.strip("}").split(",") if rest else []
    return sum(
        float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if re.match(rf"{begin}[{{ ]", line) and all(label in line for label in labels)
    )


CALLS = 'milepost_calls_total{operation="search",outcome="done"}'
TIMES = 'milepost_call_seconds_count{operation="search"}'


def test_servers_of_one_store_are_added_up_and_a_killed_one_takes_nothing_back(
    servers: tuple[Served, Served],
) -> None:
    first, second = servers
    with MilepostClient(first.url) as one, MilepostClient(second.url) as two:
        one.store("The database is PostgreSQL")
        for _ in range(3):
            one.search("database")
        for _ in range(4):
            two.search("database")
        assert figure(second, CALLS) >= 4, "its own at once"

        wait_until(lambda: figure(second, CALLS) == figure(first, CALLS) == 7)
        report = two.get_metrics()
        assert {o.name: o.times for o in report.operations}["search"] == 7
        assert figure(second, TIMES) == 7

        first.kill()

        assert figure(second, CALLS) == 7
        two.search("database")
        assert figure(second, CALLS) == 8
        # What was answered is counted by the way that asked, and by the operation that it was.
        requests = 'milepost_requests_total{operation="search"}'
        assert figure(second, requests) == 5, "which are its own alone"
