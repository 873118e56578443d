"""Whoever administers a memory sees its work, spaces, size and copies, from wherever they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from milepost import Forbidden, InvalidInput, Milepost, MilepostClient, NotFound, connect
from milepost.errors import ConfigError
from milepost.opening import settings_for
from milepost.surfaces.http import running
from support import wait_until


@pytest.fixture
def server(memory: Milepost, url: str) -> Iterator[str]:
    settings = settings_for(url)._replace(key="the server's own", host="127.0.0.1", port=0)
    with running(memory, settings) as address:
        yield address


def given_up(memory: Milepost, key: str) -> int:
    """Return the number of a piece of work that was given up."""
    context = memory._context
    context.store.jobs.enqueue(context.space, "none's work", key, "a payload", 0)
    job = context.store.jobs.claim(["none's work"], context.clock(), 1)
    assert job is not None
    context.store.jobs.fail(job.id, job.claim, "ValueError: no luck", None)
    return job.id


def test_work_that_was_given_up_is_shown_with_its_problem_retried_and_dropped(
    memory: Milepost,
) -> None:
    first, second = given_up(memory, "one"), given_up(memory, "two")

    shown = memory.list_jobs(state="dead")
    assert [(job.number, job.key) for job in shown] == [(first, "one"), (second, "two")]
    assert shown[0].problem == "ValueError: no luck"
    assert "a payload" not in repr(shown), "what work is about is for whoever does it"

    assert memory.retry_jobs(number=first).jobs == 1
    assert [job.key for job in memory.list_jobs(state="waiting")] == ["one"]
    assert memory.drop_job(second).key == "two"
    assert memory.list_jobs(state="dead") == []
    with pytest.raises(NotFound, match="list_jobs"):
        memory.drop_job(first)
    with pytest.raises(NotFound, match="list_jobs"):
        memory.retry_jobs(number=second)
    with pytest.raises(InvalidInput, match="waiting, running, dead"):
        memory.list_jobs(state="asleep")
    noted = {(entry.operation, entry.outcome) for entry in memory.audit()}
    assert {("retry_jobs", "done"), ("drop_job", "done"), ("drop_job", "not_found")} <= noted


def test_spaces_are_shown_with_what_they_hold_and_each_key_sees_its_own(
    memory: Milepost, server: str
) -> None:
    memory.store("The harbour opens at nine")
    memory.within("team-a").store_batch([{"content": "one"}, {"content": "two"}])

    held = {space.space: space.memories for space in memory.list_spaces()}
    assert held == {"default": 1, "team-a": 2}

    key = memory.create_key("ann", scope=["read", "admin"], spaces="team-a").secret
    with MilepostClient(server, key) as ann:
        assert [space.space for space in ann.list_spaces()] == ["team-a"]
        for ask in (ann.storage_info, ann.list_backups, ann.create_backup):
            with pytest.raises(Forbidden, match="the whole store"):
                ask()


def test_the_whole_store_is_for_a_key_of_all_its_spaces(memory: Milepost, server: str) -> None:
    memory.store("The harbour opens at nine")
    key = memory.create_key("root", scope=["read", "admin"], spaces="*").secret

    with MilepostClient(server, key) as root:
        info = root.storage_info()
    assert info.memories == 1
    assert info.bytes > 0
    assert info.spaces == {"default": 1}


def test_a_copy_of_the_store_is_made_while_it_is_used_and_is_listed(tmp_path: Path) -> None:
    with connect(tmp_path / "m.db") as memory:
        memory.store("The harbour opens at nine")
        made = memory.create_backup()
        memory.store("The vault opens at ten")

        assert [(copy.file, copy.memories) for copy in memory.list_backups()] == [(made.file, 1)]
    with connect(made.file) as copy:
        assert copy.search("when does the harbour open?").total == 1


@pytest.mark.slow
def test_a_database_says_how_it_is_copied(postgres_store_url: str) -> None:
    with connect(postgres_store_url) as memory, pytest.raises(ConfigError, match="pg_dump"):
        memory.create_backup()


def test_what_is_written_down_is_followed_from_a_place_on(memory: Milepost) -> None:
    memory.record_event("action", "before", wait=True)
    place = memory.follow_events().place

    memory.record_event("test", "pytest", outcome="failed", session_id="s1")
    fed = memory.follow_events(after=place)
    assert [(e.content, e.outcome) for e in fed.events] == [("pytest", "failed")]
    assert fed.numbers == (fed.place,)
    assert memory.follow_events(after=fed.place).events == ()

    memory.within("other").record_event("action", "elsewhere", wait=True)
    assert memory.follow_events(after=fed.place).events == ()


def test_whoever_follows_sees_that_memories_and_episodes_are_others(memory: Milepost) -> None:
    def state() -> str:
        return memory.follow_events().state

    before = state()
    assert state() == before
    memory.store("The harbour opens at nine")
    stored = state()
    assert stored != before

    memory.create_episode("fix the login", id="e1")
    memory.add_step("e1", "bash", "pytest")
    wait_until(lambda: state() != stored)


def test_the_store_is_looked_at_without_changing_it(tmp_path: Path) -> None:
    with connect(tmp_path / "m.db") as memory:
        memory.store("The harbour opens at nine")
        looked = memory.storage_health()
    assert looked.ready
    assert {"store", "schema", "index"} <= {check.name for check in looked.checks}
