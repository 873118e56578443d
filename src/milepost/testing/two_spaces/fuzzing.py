"""Thousands of calls by who may enter one space, and whatever they were told of another."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import NamedTuple

from milepost.app import Milepost
from milepost.config import Settings
from milepost.registry import Operation
from milepost.testing.two_spaces.ways import Person, Said, Way, ways_in
from milepost.testing.two_spaces.worlds import (
    OF_THE_STORE,
    OPERATIONS,
    SPACES,
    World,
    planted,
)

SCOPES = ("read", "write", "execute", "admin")
# How often a way is taken, for some take much longer than others.
_SHARES = {"python": 26, "http": 26, "mcp": 14, "client": 10, "warm process": 8, "resources": 6,
           "pages": 5, "program": 4, "command line": 1, "files": 1, "hooks": 1}  # fmt: skip
# The event of a commit is called after it: whoever names the commit is told the same.
_DERIVED = re.compile(r"ev_[0-9a-f]{16}")
OF_THE_OWNER = ("warm process", "command line", "files", "hooks")


class Leak(NamedTuple):
    """Something of another space, and the call that told it."""

    what: str
    said: Said


class Report(NamedTuple):
    """What came of the calls."""

    calls: Counter[str]
    operations: Counter[str]
    refused: int
    faults: list[Said]
    leaks: list[Leak]
    changed: list[str]

    @property
    def total(self) -> int:
        """How many calls were made."""
        return sum(self.calls.values())


class Listener:
    """Looks through every answer for what was only ever said in the other space."""

    def __init__(self, own: World, other: World) -> None:
        self._secrets = re.compile("|".join(word[:9] for word in other.words.secrets))
        mine = {name for names in own.names.values() for name in names}
        theirs = {name for names in other.names.values() for name in names}
        # Words of a language are nobody's; hashes and numbers given by chance are.
        given = {
            name
            for name in theirs - mine
            if len(name) >= 8 and any(c.isdigit() for c in name) and not _DERIVED.fullmatch(name)
        }
        self._named = {*other.words.probes, *given}
        self._sent: set[str] = set()

    def leaks(self, said: Said) -> list[Leak]:
        """Return what an answer tells of the other space."""
        told = said.answer.lower()
        found = [Leak(word, said) for word in set(self._secrets.findall(told))]
        self._sent |= {name for name in self._named if name in said.sent}
        # What was sent here may be told again, at once or as what was stored.
        unsaid = self._named - self._sent
        return found + [Leak(name, said) for name in unsaid if name in said.answer]


def fuzz(
    memory: Milepost, settings: Settings, calls: int, seed: int, *, programs: bool = True
) -> Report:
    """Make so many calls, half of them by the key of either space."""
    worlds = [planted(memory, space, seed, programs=programs) for space in SPACES]
    report = Report(Counter(), Counter(), 0, [], [], [])
    for own, other in (worlds, worlds[::-1]):
        random = Random(f"{seed} {own.space}")  # noqa: S311 -- to be drawn again
        key = memory.create_key(f"fuzz {own.space}", scope=SCOPES, spaces=own.space)
        person = Person(own, other, key.secret, random)
        person.draw.reserved |= {key.id, key.key.name}
        before = seen(memory, other.space)
        with ways_in(memory, settings, person, programs=programs) as ways:
            refused = _calls(ways, person, Listener(own, other), calls // 2, report)
        report = report._replace(refused=report.refused + refused)
        after = seen(memory, other.space)
        report.changed.extend(name for name in before if before[name] != after[name])
    return report


def _calls(
    ways: dict[str, Way], person: Person, listener: Listener, count: int, report: Report
) -> int:
    refused, names = 0, list(ways)
    shares = [_SHARES[name] for name in names]
    for _ in range(count):
        way = person.random.choices(names, shares)[0]
        operation = _operation(person.random)
        if way in OF_THE_OWNER and operation.spec.category in OF_THE_STORE:
            continue  # these ways are those of whoever runs the store
        said = ways[way](operation)
        report.calls[said.way] += 1
        report.operations[operation.name] += 1
        refused += said.failed
        if said.fault:
            report.faults.append(said)
        report.leaks.extend(listener.leaks(said))
    return refused


def _operation(random: Random) -> Operation:
    """Return any operation; those that take much away are called less often."""
    operation = random.choice(list(OPERATIONS.values()))
    if operation.spec.destructive and random.random() < 0.7:
        return random.choice([o for o in OPERATIONS.values() if o.spec.read_only])
    return operation


# What only who works in a space changes: what it holds, and that its audit is whole and as long.
_SEEN: dict[str, dict[str, object]] = {
    "list_memories": {"limit": 100},
    "list_episodes": {},
    "list_patterns": {"include_retired": True},
    "graph_as_of": {"date": "2031-01-01"},
    "recall_events": {"limit": 100},
    "tags": {},
    "stats": {},
    "consolidation_status": {},
    "savings": {},
    "review": {},
    "conflicts": {},
    "verify_audit": {},
    "list_documents": {"limit": 100},
    "list_holds": {},
    "list_retention": {},
    "erasure_receipts": {"limit": 100},
}


def seen(memory: Milepost, space: str) -> dict[str, str]:
    """Return what a space holds, as who runs the store sees it."""
    there = memory.within(space)
    told = {name: str(getattr(there, name)(**given)) for name, given in _SEEN.items()}
    # That of the store itself goes on, whoever does something.
    told["verify_audit"] = str(there.verify_audit()._replace(own_entries=0))
    # The room that is taken is that of all spaces; what is as frequent comes in any order.
    told["stats"] = " ".join(sorted(re.findall(r"[^\s,]+", told["stats"].partition("MB")[2])))
    return told | {"keys": repr([key for key in memory.list_keys() if space in key.spaces])}
