"""Every store, under the same tests; a new backend is one more line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_memories import texts

from milepost.ports import Store
from milepost.storage import open_store

BACKENDS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: str(folder / "m.db"),
    "memory": lambda _: "memory://",
}


@pytest.fixture(params=[*BACKENDS, "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    def analyse(it):
        return texts().analyse([it])[0]

    if request.param == "postgres":
        from milepost.storage.postgres.store import PostgresStore

        opened = PostgresStore(request.getfixturevalue("postgres_url"), analyse)
    else:
        opened = open_store(BACKENDS[request.param](tmp_path), analyse)
    yield opened
    opened.close()
