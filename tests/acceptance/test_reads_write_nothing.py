"""What is called read-only reads: a store that refuses every write is never asked for one.

The search index beside a store is derived from it, and may be made again by whoever reads.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from milepost import Milepost, NotFound
from milepost.app import Operations, open_memory
from milepost.errors import StoreUnavailable
from milepost.opening import settings_for
from milepost.registry import Operation, operations_of

OPERATIONS = operations_of(Operations)
READ_ONLY = [operation for operation in OPERATIONS.values() if operation.spec.read_only]
STEPS = [
    {"tool": "bash", "action": "pytest", "observation": "ImportError: no x", "success": False},
    {"tool": "bash", "action": "pip install x", "observation": "ok"},
    {"tool": "bash", "action": "pytest", "observation": "3 passed"},
]
ASKED = "pytest fails with an ImportError; pip install"
NOTING = [operation.name for operation in OPERATIONS.values() if operation.spec.noted_by]


@pytest.fixture
def filled(path: Path) -> Iterator[tuple[Milepost, dict[str, Any]]]:
    """A memory with something of everything, and what the arguments of examples stand for in it."""
    with open_memory(settings_for(path)) as memory:
        memory.worker.close()
        notes = ["The deploy key rotates on Mondays", "We decided on passkeys for auth"]
        hashes = memory.store_batch([{"content": note, "tags": ["ops"]} for note in notes])
        for name in ("first", "second", "third"):
            memory.create_episode("fix the flaky login test", {"language": "python"}, id=name)
            memory.add_steps(name, STEPS)
            memory.complete_episode(name, "success", "x was missing")
        memory.extract_patterns()
        memory.create_episode("fix the flaky login test again", id="open")
        for source, relation, target in (
            ("billing-service", "uses", "PostgreSQL"),
            ("PostgreSQL", "has", "JSONB"),
        ):
            memory.create_relation(source, relation, target)
        known = memory.list_patterns(kind="recovery").patterns[0].id
        memory.search("deploy")
        run = memory.consolidate(dry_run=True).run_id
        yield (
            memory,
            {
                "hash": hashes[0],
                "hashes": hashes,
                "episode": "first",
                "pattern": known,
                "run_id": run,
            },
        )


@contextmanager
def unwritable(memory: Milepost) -> Iterator[list[str]]:
    """Refuse all that is written, by whichever noun, and tell where that was asked for."""
    attempts: list[str] = []
    memory.audit()  # what was noted of earlier writes is written by now

    def refuse(**_: object) -> None:
        attempts.append(" < ".join(frame.function for frame in inspect.stack()[1:8]))
        raise StoreUnavailable("This store can only be read.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory._context.store.file, "writing", refuse)  # type: ignore[attr-defined]
        yield attempts


def ask(memory: Milepost, operation: Operation, arguments: dict[str, Any]) -> object:
    """Call an operation as whoever has the memory does."""
    answer = getattr(memory, operation.name)(**arguments)
    return list(answer) if isinstance(answer, Iterator) else answer


@pytest.mark.parametrize("operation", READ_ONLY, ids=lambda operation: operation.name)
def test_an_operation_that_is_called_read_only_attempts_no_write(
    operation: Operation, filled: tuple[Milepost, dict[str, Any]]
) -> None:
    memory, real = filled
    example = {name: real.get(name, value) for name, value in operation.example.items()}
    with unwritable(memory) as attempts:
        assert ask(memory, operation, example) is not None
        for episode in (real["episode"], "open") if operation.takes("episode") else ():
            if (operation.name, episode) != ("explain_reward", "open"):
                assert ask(memory, operation, example | {"episode": episode}) is not None
    assert attempts == []


@pytest.mark.parametrize("name", NOTING)
def test_what_is_read_for_an_episode_changes_nothing_about_it(
    name: str, filled: tuple[Milepost, dict[str, Any]]
) -> None:
    memory, real = filled
    assert real["pattern"] in getattr(memory, name)(ASKED, episode="open").patterns
    memory.complete_episode("open", "success")
    memory.extract_patterns()
    assert memory.get_pattern(real["pattern"]).shown == 0


def test_a_write_to_the_store_that_refuses_is_seen(
    filled: tuple[Milepost, dict[str, Any]],
) -> None:
    memory, _ = filled
    with unwritable(memory) as attempts:
        for write in (
            lambda: memory.store("another note"),
            lambda: memory.add_step("open", "bash", "ls"),
            lambda: memory.note_shown("open", [filled[1]["pattern"]]),
        ):
            with pytest.raises(StoreUnavailable):
                write()
    assert len(attempts) == 3


@pytest.mark.parametrize("name", NOTING)
def test_an_answer_is_given_even_if_it_cannot_be_noted(
    name: str, filled: tuple[Milepost, dict[str, Any]]
) -> None:
    memory, real = filled
    with unwritable(memory) as attempts:
        operation = OPERATIONS[name]
        asked = {operation.parameters[0].name: ASKED, "episode": "open"}
        assert real["pattern"] in operation.answer(memory, asked).patterns
    assert len(attempts) == 1


@pytest.mark.parametrize("name", NOTING)
def test_an_unknown_episode_is_refused_before_anything_is_answered(
    name: str, memory: Milepost
) -> None:
    with pytest.raises(NotFound, match="There is no episode nobody"):
        getattr(memory, name)("fix the flaky login test", episode="nobody")
    with pytest.raises(NotFound, match="There is no episode nobody"):
        memory.note_shown("nobody", ["pt_0"])


def test_noting_what_was_shown_counts_once_and_only_what_there_is(
    filled: tuple[Milepost, dict[str, Any]],
) -> None:
    memory, real = filled
    with pytest.raises(NotFound, match="There is no pattern pt_0"):
        memory.note_shown("open", [real["pattern"], "pt_0"])
    assert memory.get_pattern(real["pattern"]).shown == 0
    assert memory.note_shown("open", [real["pattern"]]) == "open"
    memory.note_shown("open", [real["pattern"]])
    memory.complete_episode("open", "success")
    memory.extract_patterns()
    assert memory.get_pattern(real["pattern"]).shown == 1


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(("read_only", "shown"), [(False, 1), (True, 0)])
def test_programs_that_may_write_note_what_they_were_shown(
    filled: tuple[Milepost, dict[str, Any]], read_only: bool, shown: int
) -> None:
    memory, real = filled
    code = f"len(recommend({ASKED!r}, episode='open').patterns) > 0"
    assert memory.execute_code(code, read_only=read_only).output == "True"
    memory.complete_episode("open", "success")
    memory.extract_patterns()
    assert memory.get_pattern(real["pattern"]).shown == shown
