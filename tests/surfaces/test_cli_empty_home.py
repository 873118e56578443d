"""Whoever only looks finds nothing on an empty home, and leaves nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import milepost, run

from milepost.surfaces.cli.builtin import COMMANDS
from milepost.surfaces.cli.described import Described, described_operations
from milepost.surfaces.cli.operation_commands import command_path

LOOKING = (
    "storage info", "storage check", "storage compact", "backup list", "backup prune --keep 1 -y",
    "jobs list", "jobs retry", "jobs run", "jobs run --dry-run", "config show", "config path",
    "logs", "monitor --once", "model list", "savings", "daemon status", "daemon stop", "doctor",
    "install", "completion bash", "session brief", "session remind why", "pattern decay",
    "delete deadbeef", "delete-by-tag x", "", "--help", "tags", "backup",
)  # fmt: skip
# Operations whose commands were made for people, and say it in other words.
MADE_FOR_PEOPLE = {command.path for command in COMMANDS}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    empty = tmp_path / "home"
    empty.mkdir()
    monkeypatch.setenv("HOME", str(empty))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "MILEPOST_URL", "MILEPOST_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MILEPOST_URL", str(empty / "data" / "memory.db"))
    monkeypatch.chdir(empty)
    return empty


@pytest.mark.parametrize("words", LOOKING)
def test_a_command_that_looks_makes_no_store(words: str, home: Path) -> None:
    outcome = milepost(*words.split())

    assert outcome.code in (0, 1, 2)
    assert outcome.out or outcome.err
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "operation", [o for o in described_operations() if o.read_only], ids=lambda o: o.name
)
def test_an_operation_that_reads_makes_no_store(operation: Described, home: Path) -> None:
    words = command_path(operation.name, operation.category)
    given = ["deadbeef" for parameter in operation.parameters if parameter.required]

    outcome = milepost(*words, *given)

    assert outcome.code in (0, 1)
    if outcome.code == 0 and words not in MADE_FOR_PEOPLE:
        assert "nothing is remembered yet" in outcome.out
        assert str(home / "data" / "memory.db") in outcome.out
    assert list(home.iterdir()) == []


def test_programs_get_an_empty_answer(home: Path) -> None:
    found = milepost("search", "x", "--json")

    assert (found.code, found.err) == (0, "")
    assert found.data == {"memories": [], "total": 0, "query": "x"}
    assert list(home.iterdir()) == []


def test_what_is_stored_makes_one(home: Path) -> None:
    assert run("store", "the harbour opens at six").returncode == 0

    assert "harbour" in run("search", "harbour").stdout
    assert (home / "data" / "memory.db").exists()


def test_a_place_where_no_store_can_be_is_told(home: Path) -> None:
    (home / "file").touch()
    outcome = milepost("search", "x", "--url", home / "file" / "m.db")

    assert outcome.code == 1
    assert str(home / "file") in outcome.err
