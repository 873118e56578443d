"""Looking after what is remembered: lists, tags, counts, deleting many, taking it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import done, milepost

from milepost import Milepost
from milepost.app import open_memory
from milepost.opening import settings_for

URL = "--url"


@pytest.fixture
def filled(path: Path) -> Path:
    with open_memory(settings_for(path)) as memory:
        _fill(memory)
    return path


def _fill(memory: Milepost) -> None:
    for number in range(6):
        memory.store(
            f"the ship {number} left the harbour",
            tags=["sea", f"n{number}"],
            kind="decision" if number % 2 else "note",
            project="port" if number < 4 else "shop",
            session=f"s{number // 3}",
            created=f"2026-01-0{number + 1}T12:00:00",
        )


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([], [5, 4, 3, 2, 1, 0]),
        (["--limit", "2"], [5, 4]),
        (["--limit", "2", "--page", "2"], [3, 2]),
        (["--kind", "decision"], [5, 3, 1]),
        (["--project", "shop"], [5, 4]),
        (["--tags", "n3"], [3]),
        (["--session", "s0"], [2, 1, 0]),
        (["--since", "2026-01-04"], [5, 4, 3]),
        (["--since", "2026-01-02", "--until", "2026-01-04"], [2, 1]),
    ],
)
def test_the_newest_are_listed_by_what_they_are(
    filled: Path, words: list[str], shown: list[int]
) -> None:
    lines = done("list", *words, URL, filled).splitlines()
    lines = [line for line in lines if "not shown" not in line]

    assert [int(line.partition(" ship ")[2][0]) for line in lines] == shown


def test_a_list_says_how_much_it_leaves_out(filled: Path) -> None:
    assert done("list", "-n", "2", URL, filled).splitlines()[-1] == "(4 more not shown)"
    last = done("list", "-n", "2", "--page", "3", URL, filled).splitlines()
    assert len(last) == 2
    assert done("ls", "-n", "1", URL, filled) == done("list-memories", "-n", "1", URL, filled)


def test_what_was_replaced_is_listed_when_asked_for(filled: Path) -> None:
    with open_memory(settings_for(filled)) as memory:
        memory.update(memory.list_memories(limit=1).memories[0].hash, content="the ship sank")

    assert len(done("list", URL, filled).splitlines()) == 6
    assert len(done("list", "--superseded", URL, filled).splitlines()) == 7


def test_tags_and_counts_are_shown(filled: Path) -> None:
    assert done("tags", URL, filled).splitlines()[0] == "sea 6 (port 4, shop 2)"
    assert done("tags", "-p", "shop", "-n", "1", URL, filled).splitlines() == [
        "sea 2 (shop 2)",
        "(2 more not shown)",
    ]
    counts = milepost("stats", URL, filled, "--json").data
    assert (counts["memories"], counts["sessions"], counts["kinds"]) == (
        6, 2, {"decision": 3, "note": 3},
    )  # fmt: skip
    assert counts["months"] == {"2026-01": 6}
    assert counts["bytes"] > 10_000
    assert done("stats", URL, filled).startswith("6 memories of 2 sessions, 0 superseded")


def test_what_belongs_to_no_project_is_counted_too(filled: Path) -> None:
    for number in range(3):
        done("store", f"prefers tea {number}", "--project", "everywhere", URL, filled)

    counts = milepost("stats", URL, filled, "--json").data
    assert counts["projects"] == {"port": 4, "everywhere": 3, "shop": 2}
    assert sum(counts["projects"].values()) == counts["memories"]
    shown = done("stats", URL, filled)
    assert "\nprojects: port 4, everywhere (no project) 3, shop 2\n" in shown


def test_a_few_are_deleted_at_once_and_many_only_when_that_is_meant(filled: Path) -> None:
    refused = milepost("delete-where", "--project", "port", URL, filled)

    assert refused.code == 2
    assert "give --yes" in refused.err
    assert "the ship 3 left the harbour" in refused.err
    assert len(done("list", URL, filled).splitlines()) == 6

    assert "would delete 4" in done("delete-where", "--project", "port", "--dry-run", URL, filled)
    said = done("delete-where", "--project", "port", "--yes", URL, filled)
    assert said.startswith("deleted 4: ")
    assert "undo takes it back until" in said
    assert done("delete-where", "--session", "s1", URL, filled).startswith("deleted 2")
    assert done("list", URL, filled) == "no matching memory"

    assert done("undo", "--count", "2", URL, filled).startswith("took back 2:")
    assert len(done("list", URL, filled).splitlines()) == 6


def test_deleting_by_tag_asks_too(filled: Path) -> None:
    assert milepost("delete-by-tag", "sea", URL, filled).code == 2
    assert done("delete-by-tag", "n1", URL, filled).startswith("deleted 1")
    assert done("delete-by-tag", "sea", "--yes", URL, filled).startswith("deleted 5")


def test_what_was_deleted_is_erased_when_the_bin_is_emptied(filled: Path) -> None:
    with open_memory(settings_for(filled)) as memory:
        memory.delete(memory.store("the zyzzyva sails from Zanzibar"))
    assert b"zyzzyva" in filled.read_bytes()
    assert "deleted   1, which" in done("storage", "info", URL, filled)

    assert "erase 1 deleted memory" in done("storage", "empty-bin", "--dry-run", URL, filled)
    assert milepost("storage", "empty-bin", URL, filled).code == 2
    assert done("storage", "empty-bin", "--yes", URL, filled) == "erased 1 deleted memory"

    files = [file for file in filled.parent.rglob("*") if file.is_file()]
    assert not any(b"zyzzyva" in file.read_bytes() for file in files)
    assert done("undo", URL, filled) == "nothing to take back"


def test_erasing_is_said(filled: Path) -> None:
    with open_memory(settings_for(filled)) as memory:
        name = memory.list_memories(limit=1).memories[0].hash

    assert done("delete", name, "--erase", URL, filled) == f"erased 1: {name}"


def test_nothing_is_made_to_take_something_back(tmp_path: Path) -> None:
    done("undo", URL, tmp_path / "m.db")
    done("review", URL, tmp_path / "m.db")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("space", ["\x1e1", "\x1fepisodes default"])
def test_nobody_names_the_space_of_what_was_deleted(
    filled: Path, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done("delete-by-tag", "n3", URL, filled)

    for where in (["--space", space], ["--space", f"a{space}"]):
        assert "ship" not in milepost("list", *where, URL, filled).out
    monkeypatch.setenv("MILEPOST_SPACE", space)
    assert "ship" not in milepost("search", "ship", URL, filled).out
