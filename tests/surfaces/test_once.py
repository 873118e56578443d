"""A call that goes by a key: however often it is sent, it is done once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from test_every_surface import (
    LOOK_AT_CODE,
    OPERATIONS,
    ORDER,
    _filled,
    dead_job,
    example,
    known_conflict,
    learned_pattern,
    planned_run,
    served,
)

from milepost.app import Milepost, open_memory
from milepost.codec import to_data
from milepost.errors import NotFound
from milepost.experience.recording import LEARN
from milepost.memory.values import OWN_SPACE
from milepost.once import Call, answer_once, serving
from milepost.opening import settings_for
from milepost.storage.sqlite.store import SqliteStore
from support import wait_until

# What tells of time and traffic alone.
BESIDE = {"answers", "journal", "jobs", "meta"}
# What makes documented examples write that only look.
WRITING = {
    name: {"dry_run": False} for name in ("consolidate", "delete_by_tag", "delete_where")
} | {
    "delete_where": {"dry_run": False, "tags": ["ops"], "project": None, "before": None},
    "delete_by_tag": {"dry_run": False, "tags": ["ops"], "erase": True},
}
# Goes on where it was when it is called again; it needs a language model, or files of the server.
RESUMED = {"extract_graph", "ingest"}
WRITES = [
    name
    for name in ORDER
    if not OPERATIONS[name].spec.read_only
    and not OPERATIONS[name].spec.is_secret  # what is shown once is not kept
    and name not in LOOK_AT_CODE | {"ingest"}
]
DONE_ONCE = [
    name
    for name in WRITES
    if not OPERATIONS[name].spec.idempotent
    and not OPERATIONS[name].spec.begins
    and name not in RESUMED
]


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    body: bytes

    @property
    def problem(self) -> tuple[int, str]:
        return self.status, json.loads(self.body)["code"]


class Sender:
    """Sends calls as any program does."""

    def __init__(self, url: str) -> None:
        self._connection = HTTPConnection(urlsplit(url).netloc)

    def send(
        self, name: str, given: Mapping[str, Any], key: str, *, space: str = "", view: str = ""
    ) -> Answer:
        headers = {"content-type": "application/json", "Idempotency-Key": key}
        headers |= {"Milepost-Space": space} if space else {}
        path = f"/tools/{name}/execute{view}"
        self._connection.request("POST", path, json.dumps(given), headers)
        response = self._connection.getresponse()
        return Answer(response.status, response.read())

    def close(self) -> None:
        self._connection.close()


@contextmanager
def sending(path: Path) -> Iterator[Sender]:
    """Serve a store to somebody who sends calls."""
    with served(path) as url:
        sender = Sender(url)
        try:
            yield sender
        finally:
            sender.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store in which every documented example works."""
    names = {name: example(OPERATIONS[name]) for name in WRITES}
    folder = Path(shutil.copytree(_filled(), tmp_path_factory.mktemp("once") / "store"))
    (folder / "examples.json").write_text(json.dumps(names))
    yield folder
    shutil.rmtree(_filled())
    for cached in (_filled, learned_pattern, planned_run, known_conflict, dead_job):
        cached.cache_clear()


@pytest.fixture
def copied(filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(filled, tmp_path / "store")) / "m.db"


def written(memory: Milepost) -> dict[str, list[Any]]:
    """Return all that a store holds, but for what is noted beside."""
    store = memory._context.store
    assert isinstance(store, SqliteStore)
    file = store.file
    tables = file.select_rows("SELECT name FROM sqlite_schema WHERE type = 'table'", {})
    return {
        name: sorted(file.select_rows(f"SELECT * FROM {name}", {}), key=repr)
        for (name,) in tables
        if name not in BESIDE
    }


def is_learning(memory: Milepost) -> bool:
    """Whether work in the background still follows from an episode that ended."""
    jobs = memory._context.store.jobs.list("default", None, 100)
    return any(job.topic == LEARN for job in jobs)


def has_noted(memory: Milepost, operation: str) -> bool:
    """Whether the audit tells of an operation, which it does a moment later."""
    store = memory._context.store
    spaces = ("default", OWN_SPACE)
    return any(store.within(each).audit.latest(each, 0, operation, 1) for each in spaces)


@pytest.mark.usefixtures("sandbox")
def test_every_write_that_is_sent_twice_is_done_once(copied: Path) -> None:
    given = json.loads((copied.parent / "examples.json").read_text())
    with open_memory(settings_for(copied)) as memory, sending(copied) as sender:
        memory.run_jobs()  # what was put off in the store that was copied
        for name in WRITES:
            first = sender.send(name, given[name], f"key of {name}")
            assert first.status == 200, (name, first)
            if OPERATIONS[name].spec.scope != "read" and not given[name].get("dry_run"):
                wait_until(partial(has_noted, memory, name))
            wait_until(lambda: not is_learning(memory))
            before = written(memory)

            assert sender.send(name, given[name], f"key of {name}") == first, name
            assert written(memory) == before, name


def calls_done_once(path: Path) -> dict[str, dict[str, Any]]:
    """Return calls of what cannot be done twice, each of which writes."""
    given = json.loads((path.parent / "examples.json").read_text())
    return {name: given[name] | WRITING.get(name, {}) for name in DONE_ONCE}


@pytest.mark.parametrize("name", DONE_ONCE)
def test_what_cannot_be_done_twice_keeps_its_answer_in_its_own_transaction(
    name: str, copied: Path
) -> None:
    """Else whoever is killed between the two has done it, and nobody knows."""
    given = calls_done_once(copied)[name]
    with open_memory(settings_for(copied)) as memory:
        memory.update(memory.store("first"), content="second")  # what undo takes back
        with serving(Call(name, "default", "a key", given, 1)):
            result = OPERATIONS[name].call(memory, given)

        kept = memory._context.store.answers.find("default", "a key")
        assert kept is not None
        assert json.loads(kept.answer or "") == json.loads(json.dumps(to_data(result)))


def test_a_key_is_good_for_one_call_alone(copied: Path) -> None:
    with sending(copied) as sender:
        first = sender.send("record_event", {"event_type": "test", "content": "one"}, "k")

        other = sender.send("record_event", {"event_type": "test", "content": "two"}, "k")
        assert other.problem == (409, "key_conflict")
        assert sender.send("store", {"content": "one"}, "k").problem == (409, "key_conflict")
        same = sender.send("record_event", {"content": "one", "event_type": "test"}, "k")
        assert same == first
        elsewhere = sender.send("store", {"content": "one"}, "k", space="other")
        assert elsewhere.status == 200
        for wrong in ("", "x" * 201):
            assert sender.send("store", {"content": "one"}, wrong).problem == (400, "invalid_input")


def test_what_was_refused_is_tried_again_under_the_same_key(copied: Path) -> None:
    with sending(copied) as sender:
        step = {"episode": "of-later", "tool": "bash", "action": "ls"}
        assert sender.send("add_step", step, "k1").status == 404
        assert sender.send("create_episode", {"task": "x", "id": "of-later"}, "k2").status == 200
        assert sender.send("add_step", step, "k1").body == b"1"
        assert sender.send("add_step", step, "k1").body == b"1"
        assert sender.send("add_step", step, "k3").body == b"2"


def test_what_fails_because_it_was_just_done_elsewhere_is_answered_as_it_was_there(
    copied: Path,
) -> None:
    with open_memory(settings_for(copied)) as memory:
        name, store = memory.store("soon gone"), memory._context.store
        delete, given = OPERATIONS["delete"], {"hash": name}
        here, there = (Call("delete", "default", "k", given, 1) for _ in range(2))

        def done_there_meanwhile() -> Any:
            answer_once(store, delete, there, lambda: delete.call(memory, given))
            return delete.call(memory, given)

        told = answer_once(store, delete, here, done_there_meanwhile)
        assert (told.deleted, told.hashes) == (1, (name,))
        with pytest.raises(NotFound):
            memory.once(delete, "another key", given)


def test_the_answer_has_the_form_that_is_asked_for(copied: Path) -> None:
    with sending(copied) as sender:
        name = json.loads(sender.send("store", {"content": "soon gone"}, "k1").body)
        first = json.loads(sender.send("delete", {"hash": name}, "k2").body)
        again = sender.send("delete", {"hash": name}, "k2", view="?view=compact")
        assert first["hashes"] == [name]
        assert again.body.decode().startswith(f"deleted 1: {name}")


def test_a_program_that_was_begun_is_not_begun_again(copied: Path) -> None:
    with open_memory(settings_for(copied)) as memory:
        given = {"code": "1"}
        call = Call("execute_code", "default", "k", given, memory._context.clock())
        assert call.begin(memory._context.store)  # by a server that was killed then
    with sending(copied) as sender:
        assert sender.send("execute_code", given, "k").problem == (409, "key_conflict")
