"""Who did what is written down with it, only grows, and shows when it was tampered with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import psycopg
import pytest

import milepost
from milepost import Milepost, NotFound
from milepost.access.values import CALLER, Caller
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.ports import AuditRow
from milepost.storage.moving.copying import copy_spaces
from milepost.upkeep import flags
from support import StartPython


def deeds(memory: Milepost, **asked: object) -> list[tuple[str, tuple[str, ...], str]]:
    return [(e.operation, e.targets, e.outcome) for e in memory.audit(**asked)]


def test_what_is_written_and_deleted_is_noted_with_the_names_of_memories(memory: Milepost) -> None:
    name = memory.store("The harbour opens at nine")
    newer = memory.update(name, content="The harbour opens at ten")
    memory.delete(newer)

    assert deeds(memory)[:3] == [
        ("store", (name,), "done"),
        ("update", (name, newer), "done"),
        ("delete", (newer,), "done"),
    ]
    (entry,) = memory.audit(operation="delete")
    assert (entry.who, entry.surface, entry.times) == ("owner", "python", 1)


def test_it_tells_nothing_of_what_memories_say(memory: Milepost) -> None:
    memory.store("The gorgonzola lies in the blue cellar", tags=["cheese"], author="Ann")
    memory.create_entity("gorgonzola cellar", "place")
    memory.record_event("action", "ate the gorgonzola")

    told = "\n".join(map(str, memory.audit()))
    assert "gorgonzola" not in told
    assert "cheese" not in told


def test_what_fails_is_noted_with_why(memory: Milepost) -> None:
    with pytest.raises(NotFound):
        memory.delete("ffffffff")

    assert ("delete", ("ffffffff",), "not_found") in deeds(memory)


def test_many_small_deeds_are_one_entry(memory: Milepost) -> None:
    for number in range(50):
        memory.record_event("action", f"ran step {number}")

    assert sum(e.times for e in memory.audit(operation="record_event")) == 50
    assert len(memory.audit(operation="record_event")) < 50


@pytest.mark.usefixtures("sandbox")
def test_what_a_program_does_is_noted_by_itself(memory: Milepost) -> None:
    memory.execute_code("store('a fact from a program')")

    assert [(e.operation, e.surface) for e in memory.audit()] == [
        ("store", "program"),
        ("execute_code", "python"),
    ]


def test_since_and_limit_choose_the_latest(memory: Milepost) -> None:
    names = [memory.store(f"fact number {n}") for n in range(5)]

    assert [e.targets for e in memory.audit(limit=2)] == [(names[3],), (names[4],)]
    assert memory.audit(since="2100-01-01") == []
    assert len(memory.audit(since="1d", operation="store")) == 5


def test_spaces_have_an_audit_each(memory: Milepost) -> None:
    memory.within("team-a").store("of team a")
    memory.within("team-b").store("of team b")

    assert len(memory.within("team-a").audit(operation="store")) == 1
    assert memory.within("team-a").verify_audit().ok


def test_a_whole_audit_is_told_to_be_whole(memory: Milepost) -> None:
    for number in range(20):
        memory.store(f"fact {number}")
    check = memory.verify_audit()

    assert check.ok
    assert check.entries == 20


def test_what_is_of_the_store_itself_is_checked_and_told_to_who_may_enter_all_spaces(
    memory: Milepost,
) -> None:
    memory.store("a fact")
    memory.create_key("ci")
    check = memory.verify_audit()

    assert (check.entries, check.own_entries) == (1, 1)
    assert check.digest != check.own_digest
    assert f"1 entry of the store itself, whole; the last has the digest {check.own_digest}" in str(
        check
    )
    token = CALLER.set(Caller("ci", key="ci", spaces=("default",)))
    try:
        assert memory.verify_audit().own_digest == ""
    finally:
        CALLER.reset(token)


TAMPERED = {
    "an entry": "UPDATE audit SET entry = replace(entry, 'store', 'st0re') WHERE number = 3",
    "a time": "UPDATE audit SET at = at + 1 WHERE number = 3",
    "an operation": "UPDATE audit SET operation = 'x' WHERE number = 3",
    "a digest": "UPDATE audit SET digest = substr(digest, 2) || '0' WHERE number = 3",
    "one is removed": "DELETE FROM audit WHERE number = 3",
    "the last is removed": "DELETE FROM audit WHERE number = 5",
    "all are removed": "DELETE FROM audit",
}


@pytest.mark.parametrize("what", TAMPERED)
def test_whatever_is_changed_behind_its_back_is_noticed(path: Path, what: str) -> None:
    with milepost.connect(path) as memory:
        for number in range(5):
            memory.store(f"fact {number}")
    file = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError, match="only grows"):
        file.execute(TAMPERED[what])
    file.execute("DROP TRIGGER audit_stays; DROP TRIGGER audit_is_kept")
    file.execute(TAMPERED[what])
    file.close()

    with milepost.connect(path) as memory:
        check = memory.verify_audit()
        assert not check.ok
        assert check.problems


@pytest.mark.slow
def test_in_postgresql_what_its_owner_changes_is_noticed_too(postgres_store_url: str) -> None:
    with (
        milepost.connect(postgres_store_url) as memory,
        psycopg.connect(postgres_store_url, autocommit=True) as owner,
    ):
        for number in range(5):
            memory.store(f"fact {number}")
        assert memory.verify_audit().ok
        owner.execute("SET search_path = milepost")
        owner.execute("CREATE TEMP TABLE before AS SELECT * FROM audit")
        for what, statement in TAMPERED.items():
            owner.execute(statement.encode())
            assert memory.verify_audit().problems, what
            owner.execute("DELETE FROM audit")
            owner.execute("INSERT INTO audit SELECT * FROM before")
        assert memory.verify_audit().ok


_KILLED = """
import os, sys, milepost
memory = milepost.connect(sys.argv[1])
for number in range(1000):
    print(memory.store(f"fact {number} of the harbour"), flush=True)
"""


@pytest.mark.slow
def test_whoever_is_killed_leaves_no_memory_without_its_entry(
    path: Path, start_python: StartPython
) -> None:
    writing = start_python(_KILLED, path)
    assert writing.stdout is not None
    for _ in range(30):
        writing.stdout.readline()
    writing.kill()
    writing.wait()

    with milepost.connect(path) as memory:
        noted = {name for e in memory.audit(operation="store", limit=2000) for name in e.targets}
        assert {m.hash for m in memory.list_memories(limit=2000)} == noted
        assert memory.verify_audit().ok


def test_in_postgresql_whoever_works_for_a_space_cannot_change_it(postgres_store_url: str) -> None:
    with milepost.connect(postgres_store_url) as memory:
        memory.store("The harbour opens at nine")
        for statement in ("UPDATE audit SET entry = ''", "DELETE FROM audit", "TRUNCATE audit"):
            with psycopg.connect(postgres_store_url) as connection:
                connection.execute("SET search_path = milepost, public")
                connection.execute("SET ROLE milepost_member")
                connection.execute("SELECT set_config('milepost.home', 'default', false)")
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement.encode())
        assert memory.verify_audit().ok


@pytest.mark.slow
def test_it_moves_with_its_space_and_stays_whole(path: Path, postgres_store_url: str) -> None:
    with milepost.connect(path) as memory:
        memory.store("The harbour opens at nine")
        memory.record_event("action", "ran the tests")
        told = memory.audit()
        digest = memory.verify_audit().digest
    copy_spaces(str(path), postgres_store_url, None, progress=lambda _done, _total: None)

    with milepost.connect(postgres_store_url) as memory:
        assert memory.audit()[: len(told)] == told
        memory.store("The harbour opens at ten")
        assert memory.verify_audit().ok
        assert digest in {entry.digest for entry in _rows(memory)}


def _rows(memory: Milepost) -> list[AuditRow]:
    return memory._opening().store.audit.rows("default", 0, 100)


# Reads, where somebody wants them noted


@pytest.fixture
def noting(url: str) -> Iterator[Milepost]:
    """A memory whose audit tells of reads, too."""
    settings = settings_for(url)._replace(audit_reads="on")
    with open_memory(settings) as memory:
        yield memory


def reads(memory: Milepost) -> list[tuple[str, tuple[str, ...], str]]:
    return [told for told in deeds(memory) if told[0] not in ("store", "audit", "verify_audit")]


def test_reads_are_noted_only_where_a_setting_asks_for_them(memory: Milepost) -> None:
    name = memory.store("The harbour opens at nine")
    memory.search("when does the harbour open?")
    memory.get(name)

    assert reads(memory) == []


def test_a_read_is_noted_with_who_read_which_memories_and_never_what_was_asked(
    noting: Milepost,
) -> None:
    name = noting.store("The harbour opens at nine")
    noting.search("when does the harbour open?")
    noting.get(name)
    noting.list_memories()
    list(noting.search_iter("harbour opens"))
    with pytest.raises(NotFound):
        noting.get("ffffffff")

    assert reads(noting) == [
        ("search", (name,), "done"),
        ("get", (name,), "done"),
        ("list_memories", (name,), "done"),
        ("search_iter", (name,), "done"),
        ("get", ("ffffffff",), "not_found"),
    ]
    told = [entry for entry in noting.audit() if entry.operation == "search"]
    assert [(e.who, e.surface) for e in told] == [("owner", "python")]
    assert "open" not in "\n".join(map(str, noting.audit()))
    assert noting.verify_audit().ok


def test_the_same_read_again_and_again_is_one_entry(noting: Milepost) -> None:
    name = noting.store("The harbour opens at nine")
    for _ in range(300):
        noting.get(name)

    told = noting.audit(operation="get", limit=1_000)
    assert sum(entry.times for entry in told) == 300
    assert len(told) < 300


def test_a_flag_has_reads_noted_in_some_spaces_alone(
    noting: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags.change(noting._context.store, "audit_reads", 0.0, None)
    flags.change(noting._context.store, "audit_reads", 100.0, "team-a")
    monkeypatch.setattr(flags, "FRESH_S", -1.0)
    for space in ("team-a", "team-b"):
        noting.within(space).store("The harbour opens at nine")
        noting.within(space).list_memories()

    assert [told[0] for told in reads(noting.within("team-a"))] == ["list_memories"]
    assert reads(noting.within("team-b")) == []


def test_a_store_that_cannot_be_written_is_read_all_the_same(path: Path) -> None:
    settings = settings_for(path)
    with open_memory(settings) as memory:
        memory.store("The harbour opens at nine")
    path.chmod(0o400)
    with open_memory(settings._replace(audit_reads="on")) as memory:
        assert memory.search("when does the harbour open?").total == 1
