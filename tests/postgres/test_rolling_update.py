"""Two versions on one database: what only adds comes at once, what takes away waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

from milepost.errors import StoreUnavailable
from milepost.memory.values import NOT_ANALYSED
from milepost.storage.postgres.migrate import contracts
from milepost.storage.postgres.sql import migrations
from milepost.storage.postgres.store import PostgresStore

pytestmark = pytest.mark.slow

_ADDS = "-- expands\nALTER TABLE patterns ADD COLUMN colour text"
_TAKES = "-- contracts\nALTER TABLE patterns DROP COLUMN colour"


class Servers:
    """Servers of several versions on one database."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        self._url, self._stack = url, stack

    def start(self, more: Sequence[str] = ()) -> PostgresStore:
        """Start one that knows more scripts than this version does."""
        server = PostgresStore(self._url, lambda _: NOT_ANALYSED, [*migrations(), *more])
        self._stack.callback(server.close)
        server.presence.tell()
        return server


@pytest.fixture
def servers(postgres_store_url: str) -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(postgres_store_url, stack)


def _works(server: PostgresStore) -> bool:
    server.values.put("default", "topic", "key", "value")
    return server.values.get("default", "topic", "key") == "value"


def test_every_script_says_whether_it_takes_something_away() -> None:
    kinds = {script.partition("\n")[0] for script in migrations()}
    assert kinds <= {"-- expands", "-- contracts"}


def test_a_server_works_on_a_schema_that_a_newer_one_only_added_to(servers: Servers) -> None:
    before = servers.start()
    newer = servers.start([_ADDS])

    after = servers.start()  # of the older version

    assert _works(before)
    assert _works(newer)
    assert _works(after)


def test_nothing_is_taken_away_while_a_server_lives_that_needs_it(servers: Servers) -> None:
    older = servers.start([_ADDS])
    newer = servers.start([_ADDS, _TAKES])
    again = servers.start([_ADDS])
    assert _works(older)
    assert _works(newer)
    assert _works(again)

    older.close()
    again.close()
    servers.start([_ADDS, _TAKES])

    with pytest.raises(StoreUnavailable, match="written by a newer Milepost"):
        servers.start([_ADDS])
    assert _works(newer)


def test_only_a_first_line_makes_a_script_take_something_away() -> None:
    assert contracts(_TAKES)
    assert not contracts(_ADDS)
