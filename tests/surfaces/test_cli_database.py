"""The commands that look after a store do so on PostgreSQL too, and never print a password."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from command_line import Outcome, done, milepost, refused

import milepost as memory

pytestmark = pytest.mark.slow


@pytest.fixture
def url(postgres_store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The database in use; it holds two memories."""
    monkeypatch.setenv("MILEPOST_URL", postgres_store_url)
    monkeypatch.setenv("MILEPOST_CONFIG", str(tmp_path / "milepost.toml"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with memory.connect(postgres_store_url) as opened:
        opened.store("The crew drinks tea at four", tags=["tea"])
        opened.delete(opened.store("The crew drank coffee"))
    return postgres_store_url


def _silent(url: str, outcome: Outcome) -> Outcome:
    """Return how a command ended that kept the password to itself."""
    password = urlsplit(url).password
    assert password
    assert password not in outcome.out + outcome.err
    return outcome


def test_info_tells_what_a_database_holds(url: str) -> None:
    found = _silent(url, milepost("storage", "stats", "--json")).data

    assert found["file"].startswith("postgresql://milepost:********@")
    assert (found["memories"], found["held"]) == (1, 1)
    assert found["spaces"] == {"default": 1}
    assert found["tags"] == {"tea": 1}
    assert found["tables"]["memories"] > found["tables"]["shown"] > 0


def test_a_database_is_vacuumed_and_its_indexes_made_anew(url: str) -> None:
    assert "before" in done("storage", "vacuum")
    assert "counted all words" in done("storage", "reindex")
    assert done("search", "what does the crew drink?").endswith("The crew drinks tea at four")
    assert [line.split() for line in done("storage", "check").splitlines()] == [
        ["store", "ok"],
        ["index", "ok"],
    ]


def test_words_that_were_counted_wrongly_are_found_and_counted_anew(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE milepost.word_counts SET held = held + 1")
        connection.execute("DELETE FROM milepost.uncounted")

    checked = milepost("storage", "check")
    assert checked.code == 1
    assert "counted wrongly" in checked.out
    done("storage", "reindex")

    assert milepost("storage", "check").code == 0


def test_what_waits_to_be_counted_is_counted_by_sync(url: str) -> None:
    with memory.connect(url) as opened:
        opened.store("One more to count")

    assert "change" in done("storage", "sync")
    assert done("storage", "sync") == "counted the words of 0 changes"


def test_health_says_what_is_not_in_place(url: str) -> None:
    assert _silent(url, milepost("storage", "health")).code == 0
    with psycopg.connect(url) as connection:
        connection.execute("DROP POLICY of_home ON milepost.links")

    told = milepost("storage", "health")

    assert told.code == 1
    assert "no policy holds for links" in told.out


def test_every_command_that_looks_after_a_store_works_on_a_database(url: str) -> None:
    for words in (
        "doctor", "config show", "monitor --once", "daemon status", "model list", "jobs list",
        "jobs run", "jobs retry", "savings", "review", "graph export", "stats", "health", "list",
        "migrate", "migrate --check", "storage compact --dry-run", "storage empty-bin --yes",
        "store another --dry-run", "delete-by-tag tea --dry-run", "import claude-code --dry-run",
        "daemon start --dry-run", "config set url " + url,
    ):  # fmt: skip
        outcome = _silent(url, milepost(*words.split()))
        assert outcome.code == 0, (words, outcome)


def test_what_only_a_file_can_do_says_what_to_do_instead(url: str) -> None:
    for words in ("backup create", "backup prune --keep 1 --yes"):
        assert "`pg_dump` copies a database whole" in refused(*words.split())


@pytest.mark.parametrize("server", ["127.0.0.1:9/none", "127.0.0.1:9:9/none", "no such host/none"])
def test_a_database_that_cannot_be_reached_is_named_without_its_password(server: str) -> None:
    url = f"postgresql://someone:geh eim@{server}"
    for words in ("search anything", "storage health", "storage info", "migrate --check"):
        assert "geh" not in refused(*words.split(), "--url", url)
    assert "geh" not in milepost("health", "--url", url).out


def test_memories_are_copied_by_one_command_and_compared(url: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    planned = done("migrate", "--from", url, "--to", copy, "--dry-run")
    assert planned == f"would copy default (2 memories, {planned.split()[5]} rows) to {copy}"
    assert not copy.exists()

    copied = _silent(url, milepost("migrate", "--from", url, "--to", copy, "--json"))

    assert copied.code == 0, copied
    (space,) = copied.data["spaces"]
    assert space["space"] == "default"
    assert all(part["source"] == part["target"] for part in space["parts"])
    assert copied.data["answers"] == {"asked": 1, "same_first": 1, "same_five": 1}
    assert done("list", "--url", copy).endswith("The crew drinks tea at four")


def test_the_two_ends_of_a_copy_are_named_together(url: str) -> None:
    told = milepost("migrate", "--from", url)
    assert told.code == 2
    assert "--from and --to go together" in told.err


def test_what_is_no_store_yet_is_not_copied(postgres_url: str, tmp_path: Path) -> None:
    told = refused("migrate", "--from", postgres_url, "--to", tmp_path / "copy.db")
    assert "run `milepost migrate` there first" in told
