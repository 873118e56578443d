"""Three servers on one database are one memory, also when one of them is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from servers import Worker, all_at_once, assert_kept_once, p95_ms, served, stored

import milepost
from milepost.surfaces.client import MilepostClient
from support import wait_until

pytestmark = pytest.mark.slow
CLIENTS, SPACES, TURNS = 32, 4, 4


def hired(addresses: list[str]) -> list[Worker]:
    """Return as many clients as there are threads, each of which asks another server first."""
    turned = [",".join(addresses[n % 3 :] + addresses[: n % 3]) for n in range(CLIENTS)]
    return [
        Worker(MilepostClient(urls, project="everywhere", timeout=60), number, SPACES)
        for number, urls in enumerate(turned)
    ]


def test_of_many_clients_none_sees_an_error_and_nothing_is_lost_or_done_twice(
    postgres_store_url: str, tmp_path: Path
) -> None:
    with served(3, postgres_store_url, tmp_path) as servers:
        workers = hired([server.wait() for server in servers])
        for worker in workers[::4]:  # all of one space
            worker.learn()
        for _ in all_at_once(workers, TURNS):
            pass

        print(f"p95 {p95_ms(workers):.0f} ms with {CLIENTS} clients and three servers")
        assert [worker.unseen for worker in workers if worker.unseen] == []
        with milepost.connect(postgres_store_url) as memory:
            here = memory.within("team-0")
            wait_until(lambda: sum(p.successes for p in recoveries(here)) >= CLIENTS // 4)
            assert [p.successes for p in recoveries(here)] == [CLIENTS // 4]
    assert_kept_once(postgres_store_url, workers)


def recoveries(memory: milepost.Milepost) -> list[milepost.PatternSummary]:
    rows = memory.list_patterns(limit=99).patterns
    return [row for row in rows if row.kind == "recovery"]


def test_a_server_is_killed_and_its_clients_go_on_with_the_others(
    postgres_store_url: str, tmp_path: Path
) -> None:
    with served(3, postgres_store_url, tmp_path) as servers:
        workers = hired([server.wait() for server in servers])
        for _ in all_at_once(workers, TURNS):
            if stored(workers) > CLIENTS and servers[0].process.poll() is None:
                servers[0].kill()

        assert servers[0].process.poll() is not None
        assert stored(workers) == CLIENTS * TURNS
    assert_kept_once(postgres_store_url, workers)
