"""`milepost watch` keeps a folder in step until a signal comes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import milepost
from support import PATIENCE_S, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="ends by signals"),
]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


def command(path: Path, docs: Path) -> list[str]:
    return [sys.executable, "-m", "milepost", "watch", str(docs), "--url", str(path)]


@contextmanager
def watching(path: Path, docs: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command(path, docs), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        assert "watching" in process.stderr.readline()
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err


def saved_atomically(file: Path, text: str) -> None:
    """Save a file as editors do: beside it, then in its place."""
    beside = file.with_name(f".{file.name}.swp")
    beside.write_text(text)
    beside.replace(file)


def test_a_watched_folder_is_kept_in_step(path: Path, docs: Path) -> None:
    note = docs / "note.md"
    note.write_text("The lighthouse is red.")
    with milepost.connect(path, project="everywhere") as memory, watching(path, docs):

        def documents() -> list[str]:
            listed = memory.list_documents().documents
            return [document.name for document in listed if document.gone is None]

        wait_until(lambda: documents() == ["docs/note.md"])
        saved_atomically(note, "The lighthouse is green.")
        wait_until(lambda: "green" in str(memory.search("the colour of the lighthouse")))
        note.rename(docs / "colour.md")
        wait_until(lambda: documents() == ["docs/colour.md"])
        (docs / "colour.md").unlink()
        wait_until(lambda: documents() == [])

        refused = subprocess.run(command(path, docs), capture_output=True, text=True, check=False)
        assert refused.returncode != 0
        assert "Another process watches" in refused.stderr


def test_what_is_no_folder_is_not_watched(path: Path, docs: Path) -> None:
    given = command(path, docs / "nothing")
    refused = subprocess.run(given, capture_output=True, text=True, check=False)

    assert refused.returncode != 0
    assert "is no folder" in refused.stderr
