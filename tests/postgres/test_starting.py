"""A server starts on any fit database at once, and says of another what it lacks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

import milepost
from milepost.errors import StoreUnavailable
from milepost.storage.postgres import migrate as migrating
from milepost.storage.postgres.connections import Connections
from milepost.storage.postgres.sql import migrations


def test_ten_servers_may_start_at_once_on_an_empty_database(postgres_url: str) -> None:
    def start(number: int) -> str:
        with milepost.connect(postgres_url) as memory:
            return memory.store(f"server {number} is up")

    with ThreadPoolExecutor(10) as pool:
        names = list(pool.map(start, range(10)))

    with milepost.connect(postgres_url) as memory:
        assert len(set(names)) == 10
        assert memory.health().count == 10


def test_a_database_of_a_newer_milepost_is_refused(postgres_store_url: str) -> None:
    with psycopg.connect(postgres_store_url) as connection:
        connection.execute("UPDATE milepost.meta SET value = '999'")

    with pytest.raises(StoreUnavailable, match="newer Milepost"):
        milepost.connect(postgres_store_url)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("_POSTGRES_MIN", 99, "needs 99 or newer"), ("_VECTOR_MIN", (99, 0, 0), "needs 99.0.0")],
)
def test_what_is_too_old_is_refused_with_what_to_do(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, name: str, value: object, said: str
) -> None:
    monkeypatch.setattr(migrating, name, value)

    with pytest.raises(StoreUnavailable, match=said):
        milepost.connect(postgres_url)


def test_a_script_that_fails_leaves_the_schema_as_it_was(postgres_url: str) -> None:
    connections = Connections(postgres_url)
    with pytest.raises(milepost.errors.StoreError):
        migrating.migrate(connections, [*migrations(), "CREATE TABLE half (a int); SELECT 1/0"])
    with connections.one() as connection:
        assert migrating.schema_of(connection).version == 0
    connections.close()


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    url = "postgresql://someone:geheim@127.0.0.1:9/nothing"

    with pytest.raises(StoreUnavailable) as refused:
        milepost.connect(url)

    assert "geheim" not in str(refused.value)
    assert "postgresql://someone:" in str(refused.value)


def test_what_older_rules_analysed_is_analysed_anew_by_who_tends_it(
    postgres_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with milepost.connect(postgres_store_url) as memory:
        memory.store("the harbour opens at six")
        gone = memory.store("the crane is closed")
        memory.delete(gone)
    with psycopg.connect(postgres_store_url) as connection:
        connection.execute("SET search_path = milepost, public")
        connection.execute("UPDATE homes SET analysis = 'older'")
        connection.execute("UPDATE memories SET terms = '', terms_once = '{}', keys = '{}'")

    with milepost.connect(postgres_store_url) as memory:
        assert isinstance(memory, milepost.Milepost)
        memory._context.store.tend()
        memory._context.store.tend()
        memory.undo()

        assert memory.search("harbour").total == 1
        assert memory.search("crane").total == 1
