"""Texts in a database that were sealed on request are read by whoever has the key, and nobody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from encrypted_user import User
from psycopg import sql

import milepost

pytestmark = pytest.mark.slow

WORDS = ("quokkavelodrome", "zirconfluteworm", "xylotropegazette")
SAID = f"the {WORDS[0]} keeps a {WORDS[1]} beside the {WORDS[2]}"


@pytest.fixture
def sealed(user: User, postgres_store_url: str, monkeypatch: pytest.MonkeyPatch) -> User:
    """Somebody with a database whose texts are sealed."""
    user.environment["MILEPOST_URL"] = postgres_store_url
    monkeypatch.setenv("MILEPOST_URL", postgres_store_url)
    user.done("encrypt")
    return user


def cells(url: str) -> Iterator[tuple[str, str]]:
    """Yield each row of each table as a text, with the name of the table."""
    tables = (
        "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'milepost'::regnamespace "
        "AND c.relkind = 'r'"
    )
    with psycopg.connect(url) as connection:
        for (table,) in connection.execute(tables).fetchall():
            rows = sql.SQL("SELECT t::text FROM milepost.{} AS t").format(sql.Identifier(table))
            for (row,) in connection.execute(rows):
                yield table, row
        for (row,) in connection.execute(
            "SELECT s::text FROM pg_stats AS s WHERE schemaname = 'milepost'"
        ):
            yield "pg_stats", row


def readable(url: str) -> list[str]:
    """Return the tables in which a rare word can be read."""
    return sorted(
        {
            f"{table}: {word} {row[:900]}"
            for table, row in cells(url)
            for word in WORDS
            if word in row.lower()
        }
    )


def said(user: User) -> None:
    with milepost.connect(user.environment["MILEPOST_URL"]) as memory:
        name = memory.store(SAID, metadata={"note": WORDS[1]}, tags=["t"])
        names = memory.store_batch([f"{SAID}, berth {i}" for i in range(10)])
        memory.store(f"We use {WORDS[0]} because {WORDS[1]} is slow.")
        memory.store(f"Ines works at Acme, says the {WORDS[2]}.")
        assert any(
            WORDS[0] in found.content for found in memory.search(f"where is the {WORDS[0]}?")
        )
        memory.update(name, content=f"{SAID} since Monday")
        memory.delete(names[0])
        memory.undo()
        memory.delete(names[1])
        memory.notice(
            "s2", [{"role": "user", "text": f"We decided to use {WORDS[0]} because it is fast."}]
        )
        episode = memory.create_episode(f"repair the {WORDS[0]}")
        memory.add_step(
            episode,
            "bash",
            f"mend {WORDS[1]}",
            {"file": WORDS[1]},
            observation=f"{WORDS[2]} broke",
            success=False,
        )
        memory.complete_episode(episode, "success", f"the {WORDS[0]} holds")
        memory.record_event("note", SAID, wait=True)
        memory.consolidate(dry_run=False)
        memory.run_jobs()


def test_x(sealed: User) -> None:
    said(sealed)
    found = readable(sealed.environment["MILEPOST_URL"])
    print("\n".join(found))
    assert not found
