"""What stores of one person say to each other by a server: the operation, and who calls it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from milepost.access.values import ADMIN
from milepost.documents.values import Exchanged
from milepost.errors import ConfigError, InvalidInput
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.operation import operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from milepost.documents.syncing.folder import Synced
    from milepost.documents.syncing.replica import Told

    class Elsewhere(Protocol):
        """A memory on a server, as far as it is asked here."""

        def sync_changes(
            self, store: str, told: Sequence[str] = (), reached: int = 0, since: int | None = None
        ) -> Exchanged: ...


# Of what changed so much is told at a time: a request holds some millions of bytes.
_CHARS_MAX = 3_000_000
_NAME = re.compile(r"[0-9a-f]{16}")
_NUMBER_MAX = 1 << 62
# Under which name a store notes up to where it heard another.
_MET = "met "


class SyncChanges(Service):
    """The operation that syncs over a server."""

    @operation("space", example='sync_changes("0f1e2d3c4b5a6978")', idempotent=True, scope=ADMIN)
    def sync_changes(
        self, store: str, told: Sequence[str] = (), reached: int = 0, since: int | None = None
    ) -> Exchanged:
        """Hear what changed in another store of the same person, and tell what changed here.

        `milepost sync URL` calls it until there is nothing left to tell.

        store: the name that the other store goes by among those that are synced.
        told: what changed there, as it is told here.
        reached: up to where that goes, as the other store counts.
        since: up to where it heard this one; without it nothing is told.
        """
        from milepost.documents.syncing.replica import Heard, Part, Replica

        name, lines = _name(store), _lines(told)
        reached = validation.whole("reached", reached, 0, _NUMBER_MAX)
        known = None if since is None else validation.whole("since", since, 0, _NUMBER_MAX)
        own, note = Replica(self._context), f"{_MET}{name}"
        if own.name == name:
            raise ConfigError("A store is not synced with itself, nor with a copy of its file.")
        heard = Heard()
        if lines or reached:
            heard = own.hear(lines, {note: str(reached)})
        part = Part([], 0)
        if known is not None:
            own.observe()
            part = own.part_since(known, _CHARS_MAX)
        echoes = set(told)
        answer = tuple(line for line in part.lines if line not in echoes)
        there = int(own.noted(note) or 0)
        return Exchanged(own.name, there, sum(heard[:3]), answer, part.number, part.more)


def sync_server(here: Context, there: Elsewhere) -> Synced:
    """Make a space the same in a store and on a server."""
    from milepost.documents.syncing.folder import Synced
    from milepost.documents.syncing.replica import Heard, Replica

    own = Replica(here)
    own.observe()
    answer = there.sync_changes(own.name)
    note, known = f"{_MET}{answer.store}", set[str]()
    since = int(own.noted(note) or 0)
    heard, changed, is_done = Heard(), 0, False
    while not is_done:
        part = own.part_since(answer.heard, _CHARS_MAX)
        lines = [line for line in part.lines if line not in known]
        answer = there.sync_changes(own.name, lines, part.number, since)
        came = own.hear(_lines(answer.told), {note: str(answer.number)})
        known.update(answer.told)
        since, changed = answer.number, changed + answer.changed
        heard = heard.and_then(came)
        is_done = not (part.more or answer.more or answer.told)
    return Synced(heard, changed)


def _name(store: object) -> str:
    if not isinstance(store, str) or not _NAME.fullmatch(store):
        raise InvalidInput("store must be the name of a store, 16 digits of hexadecimal.")
    return store


def _lines(told: object) -> list[Told]:
    if isinstance(told, str) or not isinstance(told, Sequence):
        raise InvalidInput("told must be a list of lines.")
    from milepost.documents.syncing.replica import told_in

    try:
        return [told_in(line) for line in told]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise InvalidInput(
            "told must hold what sync_changes tells, a line of JSON each."
        ) from problem
