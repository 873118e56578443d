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


@pytest.fixture(params=[*BACKENDS, "postgres", "sealed_postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if "postgres" in request.param:
        url = request.getfixturevalue(f"{request.param.removesuffix('postgres')}postgres_store_url")
    else:
        url = BACKENDS[request.param](tmp_path)
    opened = open_store(url, lambda it: texts().analyse([it])[0])
    yield opened
    opened.close()
