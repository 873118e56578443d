"""One reader for all tests, and files made for one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from milepost.documents.values import Document
from milepost.reading import open_reader
from milepost.reading.reader import Reader

Read = Callable[..., Document]


@pytest.fixture(scope="session")
def reader() -> Iterator[Reader]:
    """Read documents, in processes that stay for the next test."""
    with closing(open_reader()) as opened:
        assert opened.missing() == {}
        yield opened


@pytest.fixture
def read(reader: Reader, tmp_path: Path) -> Read:
    """Read a document of a name and a content."""

    def read(name: str, content: str | bytes, media: str | None = None) -> Document:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return reader.read(path, media)

    return read
