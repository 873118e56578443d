"""The same calls in one space, beside an empty one and beside one that is full and written to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from milepost.access.values import CALLER, Caller
from milepost.app import Milepost
from milepost.codec import to_data
from milepost.errors import MilepostError
from milepost.render import to_text
from milepost.testing.clock import Clock
from milepost.testing.two_spaces.arguments import Draw
from milepost.testing.two_spaces.worlds import OPERATIONS, SHARED, SPACES, World, planted

# Names that are given by chance (of temporary folders too), what binds the audit, and moments.
_CHANCE = re.compile(
    r"\b[a-z]{2}_[0-9a-z]{12,}\b|\b[0-9a-f]{32,64}\b|\bmp_[\w-]+|\d{10}\.\d+|1[67]\d{14}"
    r"|20\d\d-\d\d-\d\d(?:[T ][\d:.]+(?:[+-]\d\d:\d\d|Z)?)?|\d+(?:\.\d+)?(?: ?m?s\b)"
    r"|(?<=\"reward\": )-?[\d.]+|(?<=success )[\d.]+|(?<=failure )-?[\d.]+"
    r"|(?<=\"duration\": )[\d.e-]+|(?<=\"next\": )[\d.]+|\btmp[a-z0-9_]{8}\b"
)


_BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Heard(NamedTuple):
    """A call, and what it was answered."""

    call: str
    answer: str


def heard(memory: Milepost, clock: Clock, calls: int, seed: int, *, crowded: bool) -> list[Heard]:
    """Return what a key of the first space is told.

    clock: the one that the memory goes by.
    crowded: whether the other space is full, and also written to in between in a database. In one
        file memories are numbered over all spaces, so that what is written in between parts
        neighbours of no session, and ranks them a trace otherwise.
    """
    if crowded:
        planted(memory, SPACES[1], seed + 1, programs=False)
        texts = [f"The pier {n} of the harbour keeps a cart test in it" for n in range(200)]
        memory.within(SPACES[1]).store_batch(texts)
    clock.now = _BEGIN
    is_database = memory.health().backend == "postgres"
    world = planted(memory, SPACES[0], seed, programs=False)
    random = Random(f"twins {seed}")  # noqa: S311 -- to be drawn again
    draw = Draw(random, _steady(world), None)
    there = memory.within(SPACES[0])
    caller = Caller("twin", "test", "twin", (SPACES[0],))
    told = []
    for number in range(calls):
        operation = random.choice(_CALLED)
        given = draw.arguments(operation)
        if crowded and number % 5 == 0 and is_database:
            _write_beside(memory, number)
        clock.now = _BEGIN + timedelta(hours=1, seconds=number)
        token = CALLER.set(caller)
        try:
            answer = _said(operation.call(there, given))
        except (MilepostError, TypeError) as problem:
            answer = repr(problem)
        finally:
            CALLER.reset(token)
        told.append(Heard(f"{operation.name} {given!r}", answer))
    return told


def _steady(world: World) -> World:
    """Leave out the names that are given by chance, of which two runs draw others."""
    names = {"hash": world.names["hash"], "episode": [SHARED["episode"], *world.words.probes[-9:]]}
    return world._replace(names={field: sorted(found) for field, found in names.items()})


# Keys are secrets by chance; a program costs what it costs; deeds are counted half a second later,
# times are what they are, and how long an episode took is in its reward and in what that weighs.
_BY_CHANCE = {"audit", "verify_audit", "savings", "list_spaces", "get_metrics", "explain_reward",
              "similar_episodes", "search_episodes", "recommend", "query_memory"}  # fmt: skip
_CALLED = [
    operation
    for operation in OPERATIONS.values()
    if operation.spec.category not in ("code", "key") and operation.name not in _BY_CHANCE
]


def _write_beside(memory: Milepost, number: int) -> None:
    other = memory.within(SPACES[1])
    name = other.store(f"The harbour of the cart test waits for berth {number}", tags=["shared"])
    other.record_event("note", f"the harbour closes {number}")
    other.create_entity(f"Berth {number}")
    if number % 2:
        other.delete(name)


def _said(result: Any) -> str:
    result = list(result) if isinstance(result, Iterator) else result
    return f"{to_text(result)}\n{json.dumps(to_data(result))}"


def differences(alone: list[Heard], crowded: list[Heard]) -> list[tuple[Heard, Heard]]:
    """Return the calls that were answered otherwise because of the other space."""
    return [
        (one, other)
        for one, other in zip(alone, crowded, strict=True)
        if _CHANCE.sub("x", one.answer) != _CHANCE.sub("x", other.answer)
    ]


__all__ = ["Heard", "World", "differences", "heard"]
