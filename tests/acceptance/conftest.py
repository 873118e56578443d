"""What is promised holds on every store: tests of a memory run on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import milepost

# What is asked of a file itself: its locks, its log, its index, its migrations.
_OF_FILES = {
    "test_durability",
    "test_index_trouble",
    "test_locks",
    "test_migration",
    "test_waiting",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what needs only a memory on every store; a test that names the file is of files."""
    if "backend" not in metafunc.fixturenames:
        return
    module = metafunc.module.__name__.rpartition(".")[2]
    own = metafunc.definition._fixtureinfo.argnames
    of_files = module in _OF_FILES or {"path", "tmp_path", "mode"} & set(own)
    metafunc.parametrize("backend", ["sqlite"] if of_files else ["sqlite", "postgres"])


@pytest.fixture
def url(request: pytest.FixtureRequest, backend: str) -> str:
    """Where the memory of a test lies."""
    return str(request.getfixturevalue("path" if backend == "sqlite" else "postgres_store_url"))


@pytest.fixture
def memory(url: str) -> Iterator[milepost.Milepost]:
    """An empty memory, in a file or in a database."""
    with milepost.connect(url) as opened:
        assert isinstance(opened, milepost.Milepost)
        yield opened
