"""Texts in a database that were sealed on request are told to whoever has the key alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest
from encrypted_user import User
from psycopg import sql

import milepost
from milepost.config import Settings
from milepost.errors import StoreEncrypted
from milepost.memory.values import Indexed
from milepost.opening import open_context
from milepost.sealing import new_key
from milepost.storage import maintenance
from milepost.storage.postgres import encryption, presence
from milepost.storage.postgres.sealed import COLUMNS, WRITES
from milepost.storage.postgres.sql import statements
from milepost.testing.postgres import postgres_server
from support import PATIENCE_S, wait_until

pytestmark = pytest.mark.slow

WORDS = ("quokkavelodrome", "zirconfluteworm", "xylotropegazette")
SAID = f"the {WORDS[0]} keeps a {WORDS[1]} beside the {WORDS[2]}"


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process be too short for the database to know of it, however slow it is."""
    monkeypatch.setattr(presence, "_FIRST_S", PATIENCE_S)


def by(user: User, url: str) -> User:
    """Let somebody use a database by commands and functions alike."""
    user.environment["MILEPOST_URL"] = url
    os.environ["MILEPOST_URL"] = url  # which the fixture `user` gives back
    return user


@pytest.fixture
def clear(user: User, postgres_store_url: str, monkeypatch: pytest.MonkeyPatch) -> User:
    """Somebody with a key and a database in clear text."""
    monkeypatch.setenv("MILEPOST_URL", postgres_store_url)
    return by(user, postgres_store_url)


@pytest.fixture
def sealed(user: User, sealed_postgres_store_url: str, monkeypatch: pytest.MonkeyPatch) -> User:
    """Somebody with a database whose texts are sealed."""
    monkeypatch.setenv("MILEPOST_URL", sealed_postgres_store_url)
    return by(user, sealed_postgres_store_url)


def url_of(user: User) -> str:
    return user.environment["MILEPOST_URL"]


def rows_of(url: str) -> Iterator[tuple[str, str]]:
    """Yield every row of every table, and what the database noted of columns, as texts."""
    named = (
        "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'milepost'::regnamespace "
        "AND c.relkind = 'r'"
    )
    with psycopg.connect(url) as connection:
        for (table,) in connection.execute(named).fetchall():
            every = sql.SQL("SELECT t::text FROM milepost.{} AS t").format(sql.Identifier(table))
            yield from ((table, row) for (row,) in connection.execute(every))
        noted = "SELECT s::text FROM pg_stats AS s WHERE schemaname = 'milepost'"
        yield from (("pg_stats", row) for (row,) in connection.execute(noted))


def readable(url: str) -> set[str]:
    """Return the tables in which one of the rare words can be read."""
    return {
        f"{table}: {row}"[:200]
        for table, row in rows_of(url)
        for word in WORDS
        if word in row.lower()
    }


def bring(url: str) -> None:
    """Let texts come in by every noun that keeps some."""
    with milepost.connect(url) as memory:
        name = memory.store(SAID, metadata={"note": WORDS[1]}, tags=["berth"], session="s1")
        names = memory.store_batch([f"{SAID}, berth {i}" for i in range(10)])
        memory.store(f"We use {WORDS[0]} because {WORDS[1]} is slow.")
        memory.update(name, content=f"{SAID} since Monday", metadata={"note": WORDS[2]})
        memory.delete(names[0])
        memory.undo()
        memory.delete(names[1])
        said = f"We decided to use {WORDS[0]} because it is fast."
        memory.notice("s2", [{"role": "user", "text": said}])
        episode = memory.create_episode(f"repair the {WORDS[0]}", id="ep1")
        memory.add_step(episode, "bash", f"mend {WORDS[1]}", {"file": WORDS[1]},
                        observation=f"{WORDS[2]} broke", success=False)  # fmt: skip
        memory.checkpoint_episode(episode, f"half of the {WORDS[0]} is there")
        memory.checkpoint_episode(episode, f"all of the {WORDS[1]} is there")
        memory.complete_episode(episode, "success", f"the {WORDS[0]} holds")
        memory.record_event("note", SAID, wait=True)
        page = Path(os.environ["TMPDIR"]) / "page.md"
        page.write_text(f"# On the {WORDS[0]}\n\nWhoever reads this knows the {WORDS[1]}.\n")
        list(memory.ingest(str(page)))
        page.unlink()
        memory.create_entity("Acme")
        memory.add_observation("Acme", f"It owns {SAID}")
        memory.add_observation("Acme", "It is old")
        memory.consolidate(dry_run=False)
        memory.run_jobs()


def test_no_row_of_any_table_tells_what_was_said(sealed: User) -> None:
    bring(url_of(sealed))

    assert readable(url_of(sealed)) == set()
    assert sealed.readable() == []
    with milepost.connect(url_of(sealed)) as memory:
        found = memory.search(f"where is the {WORDS[0]}?")
        assert any(f"{SAID} since Monday" in one.content for one in found)
        assert memory.get_episode("ep1").steps[0].observation == f"{WORDS[2]} broke"
        assert SAID in [event.content for event in memory.recall_events(query=WORDS[0])]
        assert list(memory.recall_events(query="nothing of that")) == []
        (acme,) = memory.search_graph(WORDS[2]).entities
        assert acme.observations == (f"It owns {SAID}", "It is old")
        assert memory.verify_audit().ok


def test_what_was_there_is_sealed_and_comes_back(clear: User) -> None:
    url = url_of(clear)
    bring(url)
    before = clear.done("export", "--to", "-")
    assert any(found.startswith("memories") for found in readable(url))

    told = clear.done("encrypt")

    assert "the texts in postgresql://" in told
    assert "In clear text stay names" in told
    assert readable(url) == set()
    assert clear.done("export", "--to", "-") == before
    assert WORDS[0] in clear.done("search", WORDS[0])
    clear.done("decrypt")
    assert clear.done("export", "--to", "-") == before
    assert WORDS[0] in clear.done("search", WORDS[0])


def test_without_its_key_nothing_is_told_or_changed(sealed: User) -> None:
    bring(url_of(sealed))
    before = sorted(rows_of(url_of(sealed)))
    other = sealed.outside / "other.key"
    other.write_text("77" * 32)
    other.chmod(0o600)
    copy = ("migrate", "--from", url_of(sealed), "--to", sealed.home / "copy.db")
    ways = (("search", WORDS[0]), ("store", "x"), ("export", "--to", "-"), ("decrypt",),
            ("encrypt",), copy)  # fmt: skip

    for words in ways:
        for key in ("", str(other)):
            refused = sealed.run(*words, MILEPOST_ENCRYPTION_KEY_FILE=key)
            assert refused.returncode != 0, (words, key, refused.stdout)
            assert "encrypt" in refused.stderr, (words, refused.stderr)

    assert sorted(rows_of(url_of(sealed))) == before
    assert not (sealed.home / "copy.db").exists()


def test_another_key_takes_the_place_of_the_first(sealed: User) -> None:
    bring(url_of(sealed))
    fresh = sealed.outside / "new.key"

    sealed.done("rekey", "--new-key-file", fresh, "--create-key")

    assert sealed.run("search", WORDS[0]).returncode != 0
    sealed.environment["MILEPOST_ENCRYPTION_KEY_FILE"] = str(fresh)
    assert WORDS[0] in sealed.done("search", WORDS[0])
    assert readable(url_of(sealed)) == set()


def test_a_process_that_did_not_hear_of_it_writes_nothing_in_clear_text(
    clear: User,
) -> None:
    with milepost.connect(url_of(clear)) as memory:
        memory.store(f"{SAID} before")
        clear.done("encrypt")
        with pytest.raises(StoreEncrypted, match="meanwhile"):
            memory.store(f"{SAID} after")
        with pytest.raises(StoreEncrypted, match="meanwhile"):
            memory.create_episode(f"repair the {WORDS[0]}")

    assert readable(url_of(clear)) == set()


def test_it_is_refused_while_a_server_uses_the_database(clear: User) -> None:
    with psycopg.connect(url_of(clear)) as connection:
        connection.execute("INSERT INTO milepost.servers (name, schema) VALUES ('a:1', 15)")

    refused = clear.run("encrypt")

    assert refused.returncode != 0
    assert "a:1" in refused.stderr
    assert "stop" in refused.stderr


def test_killed_on_the_way_it_leaves_the_database_as_it_was(clear: User) -> None:
    url = url_of(clear)
    bring(url)
    before = sorted(row for row in rows_of(url) if row[0] != "pg_stats")
    # Somebody else reads, so that it waits for the tables while it is killed.
    with psycopg.connect(url) as reader:
        reader.execute("SELECT count(*) FROM milepost.jobs")
        process = subprocess.Popen(
            [sys.executable, "-m", "milepost", "encrypt"], env=os.environ | clear.environment
        )
        waiting = (
            "SELECT 1 FROM pg_stat_activity "
            "WHERE query LIKE 'LOCK TABLE%' AND datname = current_database()"
        )
        with psycopg.connect(url, autocommit=True) as watcher:
            wait_until(lambda: watcher.execute(waiting).fetchone() is not None)
            process.send_signal(signal.SIGKILL)
            process.wait()

    assert sorted(row for row in rows_of(url) if row[0] != "pg_stats") == before
    clear.done("encrypt")
    assert readable(url) == set()


def test_a_text_that_is_put_into_another_space_is_not_opened_there(sealed: User) -> None:
    url = url_of(sealed)
    sealed.done("store", SAID)
    sealed.done("store", "Something else", MILEPOST_SPACE="other")
    with psycopg.connect(url) as connection:
        connection.execute(
            "UPDATE milepost.memories SET content = (SELECT content FROM milepost.memories "
            "WHERE home = 'default') WHERE home = 'other'"
        )

    told = sealed.run("search", "something else", MILEPOST_SPACE="other")

    assert told.returncode != 0
    assert WORDS[0] not in told.stdout + told.stderr
    assert "cannot be opened" in told.stderr


def test_memories_move_between_sealed_and_open_stores(sealed: User) -> None:
    url, file, again = url_of(sealed), sealed.home / "copy.db", sealed.home / "again.jsonl"
    bring(url)
    there = sealed.done("export", "--to", "-")

    sealed.done("migrate", "--from", url, "--to", file)
    assert sealed.readable() == []
    assert sealed.done("export", "--to", "-", MILEPOST_URL=str(file)) == there
    assert WORDS[0] in sealed.done("search", WORDS[0], MILEPOST_URL=str(file))

    sealed.done("migrate", "--from", file, "--to", url, "--replace")
    again.write_text(there)
    sealed.done("import", again)
    assert sealed.done("export", "--to", "-") == there
    assert readable(url) == set()


def test_what_is_erased_is_found_in_sealed_texts(sealed: User) -> None:
    bring(url_of(sealed))

    sealed.done("erase", "--matching", WORDS[1], "--yes")

    sealed.done("decrypt")
    rows = rows_of(url_of(sealed))
    assert [f"{table}: {row}"[:300] for table, row in rows if WORDS[1] in row.lower()] == []


def test_no_file_of_the_server_shows_a_text(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with postgres_server() as server:
        url = server.new_database()
        monkeypatch.setenv("MILEPOST_URL", url)
        by(user, url).done("encrypt")
        bring(url)
        with psycopg.connect(server.admin_url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")

        marks = [word.encode() for word in WORDS]
        files = [file for file in server.data.rglob("*") if file.is_file()]
        assert len(files) > 100
        assert [str(f) for f in files if any(m in f.read_bytes().lower() for m in marks)] == []


def test_killed_before_the_files_are_written_anew_that_is_done_next_time(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgres_server() as server:
        url = server.new_database()
        monkeypatch.setenv("MILEPOST_URL", url)
        by(user, url).done("store", SAID)
        with monkeypatch.context() as patch:
            patch.setattr(encryption, "_free_files", _interrupted)
            with pytest.raises(KeyboardInterrupt):
                maintenance.recode(url, lambda _: new_key("5e" * 32), lambda _: 0, lambda *_: None)
        assert readable(url) == set()

        assert "written anew: memories" in user.done("encrypt")

        with psycopg.connect(server.admin_url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
        assert _files_with(server.data / "base", WORDS[0]) == []
        assert "written anew" not in user.done("encrypt")


def _interrupted(_connection: object) -> list[str]:
    raise KeyboardInterrupt


def _files_with(folder: Path, word: str) -> list[Path]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return [file for file in files if word.encode() in file.read_bytes()]


def test_words_are_found_by_numbers_that_only_the_key_tells(sealed: User) -> None:
    sealed.done("store", SAID)
    (analysed,) = open_context(Settings("memory://")).texts.analyse([Indexed(0, SAID, None, 0)])
    usual = np.frombuffer(analysed.terms, np.uint32).view(np.int32).tolist()

    with psycopg.connect(url_of(sealed)) as connection:
        ((kept, counted, waiting),) = connection.execute(
            "SELECT (SELECT terms_once FROM milepost.memories), "
            "(SELECT array_agg(term) FROM milepost.word_counts), "
            "(SELECT array_agg(t) FROM milepost.uncounted, unnest(terms) AS t)"
        ).fetchall()

    assert len(kept) == len(set(usual))
    assert not {*kept, *(counted or ()), *(waiting or ())} & set(usual)


def test_every_statement_that_writes_a_sealed_column_is_known() -> None:
    """One that is forgotten would write in clear text, which the database refuses."""
    for name, statement in statements().items():
        inserted = re.match(r"\s*INSERT INTO (\w+)(?: AS \w+)? \(([^)]*)\)", statement)
        updated = re.match(r"\s*UPDATE (\w+)(?: AS \w+)?\s+SET (.*)", statement, re.DOTALL)
        found = inserted or updated
        if found is None or found[1] not in COLUMNS:
            continue
        written = (
            re.findall(r"\w+", found[2])
            if inserted
            else re.findall(r"(\w+)\s*= (?:coalesce\()?%", found[2])
        )
        texts = set(COLUMNS[found[1]]) & set(written)
        assert not texts or name in WRITES, f"{name} writes {texts}"
