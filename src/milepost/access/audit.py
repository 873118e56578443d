"""Who did what: noted in the transaction that does it, or a moment later.

An entry tells names of memories, never what they say. Each is bound to the one before it, so that
one who changes or removes any must change all that follow, and the last digest with them.
"""

import json
import logging
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar, cast

from milepost.access.values import ADMIN, CALLER, AuditCheck, AuditEntry, Caller
from milepost.background import Background
from milepost.errors import MilepostError, SpaceMoved, StoreError
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.validation import Moment
from milepost.memory.values import OWN_SPACE
from milepost.operation import operation
from milepost.ports import AuditNote, AuditRow, Clock, Store, Work
from milepost.request import request_id
from milepost.stored_time import to_seconds
from milepost.text.lines import counted
from milepost.text.secrets import without_secrets

log = logging.getLogger(__name__)

T = TypeVar("T")

# Whoever does many small things writes one entry for all of them, so long after the first.
_DELAY_S = 0.5
_TARGETS_MAX = 100
# So many different deeds wait to be written; of more only who did them is told, and how often.
_WAITING_MAX = 2_000
_CHECKED_AT_ONCE = 5_000
_PROBLEMS_MAX = 10
# Parameters that name what is worked on, and fields of results that do.
NAMING = ("hash", "hashes", "id", "episode", "other", "pattern", "run_id", "conflict")
_NAMED = ("hashes", "run_id", "id", "hash", "episode")
DONE = "done"
# Of what comes by the hundreds only what it belongs to is named.
_MANY = frozenset({"record_event", "record_events", "add_step", "add_steps"})
# Names that are given here, which need not be looked at for secrets.
_OURS = re.compile(r"[0-9a-f]{4,64}|[a-z]{2}_[0-9a-z]{8,16}")
# What is longer is no name.
_NAME_CHARS = 64


class Noted(NamedTuple):
    """What is noted of a deed; the same deed again is counted."""

    space: str
    operation: str
    who: str
    key: str
    surface: str
    targets: tuple[str, ...]
    outcome: str
    request: str = ""

    def note(self, at_us: int, count: int = 1) -> AuditNote:
        """Return it as it is kept."""
        about: dict[str, Any] = {"at": at_us, "operation": self.operation}
        about |= {"who": self.who, "key": self.key, "surface": self.surface}
        about |= {"targets": self.targets, "outcome": self.outcome, "count": count}
        about |= {"request": self.request} if self.request else {}
        return AuditNote(at_us, self.operation, json.dumps(about))

    def write(self, work: Work, at_us: int, count: int = 1) -> None:
        """Add it to the audit."""
        work.audit.append(self.space, *self.note(at_us, count))


class AuditLog:
    """Notes what was not noted with what it wrote, together for all who wait."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        elsewhere: "Callable[[str], AuditLog | None]" = lambda _space: None,
    ) -> None:
        self._store, self._clock = store, clock
        self._elsewhere = elsewhere  # the log of the store that a space was moved to
        self._background = Background("audit", self.flush, self.close, delay_s=_DELAY_S)
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock, self._flushing = threading.Lock(), threading.Lock()
        self._waiting: Counter[Noted] = Counter()
        self._closed = False

    def note(self, noted: Noted, count: int = 1) -> None:
        """Have a deed written down soon; of a log that is closed, as in a rehearsal, never."""
        if os.getpid() != self._process:
            self._begin()  # what the parent of a forked child has taken down the parent writes
        with self._lock:
            if self._closed:
                return
            is_first = not self._waiting
            if len(self._waiting) >= _WAITING_MAX:
                noted = noted._replace(targets=(), request="")
            self._waiting[noted] += count
        if is_first:
            self._background.ask()

    def flush(self) -> None:
        """Write down what waits, after what another thread is writing down."""
        with self._flushing:
            self._flush()

    def _flush(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, Counter()
        try:
            for space in sorted({noted.space for noted in waiting}):
                of_space = {
                    noted: count for noted, count in waiting.items() if noted.space == space
                }
                self._write(space, of_space)
                waiting.subtract(of_space)
                waiting = +waiting
        except StoreError:
            with self._lock:
                self._waiting.update(waiting)
            raise

    def catch_up(self) -> None:
        """Write down what waits, if the store can be written; else it goes on waiting."""
        with suppress(StoreError):
            self.flush()

    def _write(self, space: str, deeds: Mapping[Noted, int]) -> None:
        try:
            with self._store.within(space).writing(durable=False) as work:
                for noted, count in deeds.items():
                    noted.write(work, self._clock(), count)
        except SpaceMoved:
            other = self._elsewhere(space)
            if other is None:
                raise
            for noted, count in deeds.items():
                other.note(noted, count)

    def close(self) -> None:
        """Write down what waits and end."""
        with self._lock:
            self._closed = True
        try:
            self.flush()
        except StoreError as problem:
            # What was done is done; a store that cannot be written has nobody to tell.
            log.warning(
                "%s missing in the audit: %s", counted(len(self._waiting), "entry"), problem
            )
        finally:
            self._background.close()


class Deed:
    """One call of an operation that changes something, while it is done."""

    __slots__ = ("_caller", "_named", "_opened", "_opening", "is_noted", "operation")

    def __init__(
        self, service: Service, caller: Caller, operation: str, named: Sequence[object] = ()
    ) -> None:
        """named: the arguments that name what is worked on."""
        self._opening = service._open_context  # noqa: SLF001 -- whose operation this is
        self._opened: Context | None = None
        self._caller = caller
        self.operation = operation
        self._named = named
        self.is_noted = False

    def opened(self, opening: Callable[[], T]) -> T:
        """Return what is opened so; for whose operation this is, once."""
        return cast("T", self._context) if opening is self._opening else opening()

    @property
    def _context(self) -> Context:
        if self._opened is None:
            self._opened = self._opening()
        return self._opened

    def ahead(self, names: Sequence[str]) -> AuditNote:
        """Return what is to be noted when what is so called is written."""
        context = self._context
        return self._told(self._noted(context.space, DONE, list(names))).note(context.clock())

    def settled(self, work: Work, result: object, space: str | None) -> None:
        """Note it in the transaction that does it."""
        context = self._context
        noted = self._told(self._noted(space or context.space, DONE, result))
        noted.write(work, context.clock())
        self.is_noted = True

    def done(self, result: object) -> None:
        """Note it now that it is done, unless that was noted with it."""
        if not self.is_noted:
            context = self._context
            noted = self._told(self._noted(context.space, DONE, result))
            context.part(AuditLog).note(noted)

    def read(self, result: Any) -> Any:
        """Note what was read of; of what comes one by one, once it was read."""
        if isinstance(result, Iterator):
            return self._counted(result)
        self._note_later(DONE, _names_in(result))
        return result

    def _counted(self, rows: Iterator[Any]) -> Iterator[Any]:
        read: list[Any] = []
        try:
            for row in rows:
                if len(read) < _TARGETS_MAX:
                    read.append(row)
                yield row
        finally:
            self._note_later(DONE, _names_in(read))

    def failed(self, problem: MilepostError) -> None:
        """Note that it was refused, or failed."""
        self._note_later(problem.code, None)

    def _note_later(self, outcome: str, result: object) -> None:
        context = self._context
        context.part(AuditLog).note(self._noted(context.space, outcome, result))

    def _told(self, noted: Noted) -> Noted:
        """Add the request that it was done for, unless there are hundreds of such deeds."""
        return noted if self.operation in _MANY else noted._replace(request=request_id())

    def _noted(self, space: str, outcome: str, result: object) -> Noted:
        told = None if self.operation in _MANY else result
        by, targets = self._caller, targets_of(self._named, told)[:_TARGETS_MAX]
        return Noted(space, self.operation, by.name, by.key, by.surface, targets, outcome)


def _names_in(result: Any) -> list[str]:
    """Return what the rows of a result are called, or the result itself."""
    rows = getattr(result, "memories", result)
    several = rows if rows is not result or isinstance(rows, list) else [rows]
    names = [getattr(row, field, None) for row in several for field in ("hash", "id")]
    more = getattr(result, "hashes", ())
    return [name for name in (*names, *more) if isinstance(name, str)]


def targets_of(named: Sequence[object], result: object) -> tuple[str, ...]:
    """Return the names of what a call was about: those it was given, and those it returned."""
    targets: list[str] = []
    for value in named:
        targets += _texts(value, _is_name)
    # What is returned may as well be a text: of that only what was surely named here is a name.
    fields = getattr(result, "_fields", None)
    if fields is not None:
        for name in _NAMED:
            if name in fields:
                targets += _texts(getattr(result, name), _is_ours)
    elif result is not None:
        targets += _texts(result, _is_ours)
    return tuple(dict.fromkeys(targets)) if len(targets) > 1 else tuple(targets)


def _texts(value: object, is_name: Callable[[str], bool]) -> Iterable[str]:
    """Return the names in what was given or returned: it is one, or has some."""
    if isinstance(value, str):
        return (str(value),) if is_name(value) else ()
    if not isinstance(value, (list, tuple)):
        return ()
    return [str(name) for name in value if isinstance(name, str) and is_name(name)]


def _is_ours(text: str) -> bool:
    return _OURS.fullmatch(text) is not None


def _is_name(text: str) -> bool:
    """Whether a text may be called the name of something: it is short, and no secret."""
    return len(text) <= _NAME_CHARS and (_is_ours(text) or _is_public(text))


@lru_cache(4_096)
def _is_public(name: str) -> bool:
    # Whoever gives an episode a name of their own gives it again with every step.
    return without_secrets(name) == name


class Audit(Service):
    """The operations that show who did what."""

    @operation(
        "admin", example='audit(since="1d", operation="delete")', read_only=True, scope=ADMIN
    )
    def audit(
        self, since: Moment | None = None, operation: str | None = None, limit: int = 50
    ) -> list[AuditEntry]:
        """Show who changed, deleted or exported what in this space, and what was refused.

        since: only what was done at or after this time.
        operation: only what was done by this operation.
        limit: the most recent ones, so many.
        """
        context = self._context
        context.part(AuditLog).catch_up()
        since_us = validation.moment("since", since, context.clock()) or 0
        most = validation.limit(limit)
        rows = [
            row
            for here in _spaces(context)
            for row in here.store.audit.latest(here.space, since_us, operation, most)
        ]
        return [_shown(row) for row in sorted(rows, key=lambda row: row.at_us)[-most:]]

    @operation("admin", example="verify_audit()", read_only=True, scope=ADMIN)
    def verify_audit(self) -> AuditCheck:
        """Check that no entry of this space's audit was changed or removed."""
        context = self._context
        context.part(AuditLog).catch_up()
        here, *others = [check(each.store, each.space) for each in _spaces(context)]
        for own in others:
            problems = [f"of the store itself: {said}" for said in own.problems]
            here = here._replace(
                problems=(*here.problems, *problems),
                own_entries=own.entries,
                own_digest=own.digest,
            )
        return here


def _spaces(context: Context) -> list[Context]:
    """Return the space that is worked in and, for who may enter all, what is the store's own."""
    own = [context.within(OWN_SPACE)] if CALLER.get().spaces is None else []
    return [context, *own]


def check(store: Store, space: str) -> AuditCheck:
    """Go through the audit of a space and compare every entry with its digest."""
    count, digest = store.audit.head(space)
    last, before, problems = 0, "", list[str]()
    seen = digest if not count else None
    while len(problems) < _PROBLEMS_MAX:
        rows = store.audit.rows(space, last, _CHECKED_AT_ONCE)
        for row in rows:
            problems += _problems(row, last, before)
            last, before = row.number, row.digest
            seen = before if last == count else seen
        if not rows:
            if seen != digest:
                problems.append(
                    f"{counted(count, 'entry')} were written, of which the last is gone"
                )
            break
    return AuditCheck(last, before, tuple(problems[:_PROBLEMS_MAX]))


def _problems(row: AuditRow, last: int, before: str) -> Iterator[str]:
    if row.number != last + 1:
        missing = counted(row.number - last - 1, "entry")
        yield f"before number {row.number} there is less than there was: {missing}"
    elif _digest(before + row.entry) != row.digest:
        yield f"number {row.number} was changed"
    elif (row.at_us, row.operation) != _said(row):
        yield f"the time or the operation of number {row.number} was changed"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _said(row: AuditRow) -> tuple[int, str]:
    about = json.loads(row.entry)
    return about["at"], about["operation"]


def _shown(row: AuditRow) -> AuditEntry:
    about = json.loads(row.entry)
    return AuditEntry(
        row.number,
        to_seconds(row.at_us),
        about["who"],
        about["surface"],
        row.operation,
        tuple(about["targets"]),
        about["outcome"],
        about["count"],
        about["key"],
        about.get("request", ""),
    )
