"""The ledger: what models were given and what it cost, taken down at once and written later."""

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

from milepost.background import Background
from milepost.deadline import patience_s, working_until
from milepost.errors import Ambiguous, NotFound
from milepost.memory.context import Context, find_record, full_memory
from milepost.memory.values import Memory
from milepost.ports import Clock, Store
from milepost.stored_time import to_seconds, to_us
from milepost.text.tokens import estimate
from milepost.upkeep.metrics import INSTEAD_OF, TOKENS
from milepost.upkeep.model_text import ModelText
from milepost.upkeep.values import Expense

log = logging.getLogger(__name__)

TOPIC = "ledger"
ENTRIES_MAX = 200_000
# Counting takes time from whoever searches at that moment. So what waits is written when nothing
# came for a while, though at the latest after so long, or when there is so much of it.
QUIET_S = 0.5
NOTE_S = 1.0  # so long the store may be busy: whoever closes waits for it
WAIT_S = 5.0
BATCH = 1_000
# More than this waits only when the store does not answer.
WAITING_MAX = 10_000
COUNTS_MAX = 20_000
MISSING = "%d expenses are missing in the ledger: %s"

# An expense, or how to come by it: whatever takes time is done when it is written.
Recorded = Expense | Callable[[], Expense]
# What else is written then.
Beside = Callable[[], None] | None


class Ledger:
    """The expenses of all spaces of a store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        count: Callable[[str, str, float], None] = lambda _space, _name, _number: None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._count = count
        self._counts: dict[tuple[str, str], int] = {}
        self._background = Background("ledger", self._write_when_quiet, self.close)
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._waiting: list[tuple[str, Recorded, Beside]] = []
        self._taking, self._writing = threading.Lock(), threading.Lock()
        self._taken_down = self._dropped = 0
        self._closed = False

    def record(self, space: str, expense: Recorded, beside: Beside = None) -> None:
        """Take down an expense, without waiting for the store and without ever failing.

        beside: what else is written when the expense is.
        """
        if os.getpid() != self._process:
            # What the parent of a forked child took down the parent writes.
            self._begin()
        with self._taking:
            count = len(self._waiting) + 1
            if self._closed:
                return
            if count > WAITING_MAX:
                self._dropped += 1
                return
            self._waiting.append((space, expense, beside))
            self._taken_down += 1
        if count in (1, BATCH):
            self._background.ask(now=count == BATCH)

    def expenses(self, space: str, since: float = 0.0) -> list[Expense]:
        """Return what was spent since a time in seconds, oldest first, written or not."""
        with self._writing:
            notes = self._store.values.notes(space, TOPIC, to_us(since), ENTRIES_MAX)
            waiting = [each for name, each, _ in self._waiting if name == space]
        expenses = [_read(entry) for _, entry in notes]
        expenses += [each() if callable(each) else each for each in waiting]
        return [expense for expense in expenses if expense.at >= since]

    def once(self, space: str, name: str, count: Callable[[], int]) -> int:
        """Return a number that is counted when it is first asked for."""
        number = self._counts.get((space, name))
        if number is None:
            if len(self._counts) >= COUNTS_MAX:
                self._counts.clear()
            number = self._counts[space, name] = count()
        return number

    def flush(self) -> None:
        """Write what waits; who flushes while another writes waits for both."""
        if os.getpid() != self._process:
            return
        with self._writing:
            self._write()

    def close(self) -> None:
        """Write what waits, and take down nothing more."""
        if os.getpid() != self._process:
            return
        with self._taking:
            self._closed = True
        self.flush()
        self._background.close()

    def _write_when_quiet(self) -> None:
        latest, before = time.monotonic() + WAIT_S, -1
        while self._taken_down != before and time.monotonic() < latest:
            before = self._taken_down
            if self._background.rest(QUIET_S):
                break
        self.flush()

    def _write(self) -> None:
        with self._taking:
            taken, self._waiting = self._waiting, []
            dropped, self._dropped = self._dropped, 0
        for space, group in groupby(sorted(taken, key=itemgetter(0)), itemgetter(0)):
            waited = list(group)
            self._note(space, [expense for _, expense, _ in waited])
            self._note_beside([beside for *_, beside in waited if beside is not None])
        if dropped:
            log.warning(MISSING, dropped, "too many came at once")

    def _note(self, space: str, recorded: Sequence[Recorded]) -> None:
        try:
            expenses = [each() if callable(each) else each for each in recorded]
            entries = [_entry(expense) for expense in expenses]
            with working_until(time.monotonic() + patience_s(NOTE_S)):
                self._store.values.note(space, TOPIC, self._clock(), entries, ENTRIES_MAX)
        except Exception as problem:  # noqa: BLE001 -- whoever is served must not suffer from this
            log.warning(MISSING, len(recorded), problem)
        else:
            self._count(space, TOKENS, sum(e.tokens for e in expenses))
            self._count(space, INSTEAD_OF, sum(e.instead_of for e in expenses))

    def _note_beside(self, writes: Sequence[Callable[[], None]]) -> None:
        try:
            with working_until(time.monotonic() + patience_s(NOTE_S)):
                for write in writes:
                    write()
        except Exception as problem:  # noqa: BLE001 -- whoever is served must not suffer from this
            log.warning("what was asked is not noted: %s", problem)


def _entry(expense: Expense) -> str:
    at, *about = expense
    return json.dumps([to_us(at), *about], separators=(",", ":"))


def _read(entry: str) -> Expense:
    at, operation, tokens, instead_of, session, hashes, ms, *client = json.loads(entry)[:8]
    hashes = tuple(hashes)
    return Expense(to_seconds(at), operation, tokens, instead_of, session, hashes, ms, *client)


def expense_of(context: Context, shown: ModelText) -> Expense:
    """Count what a text costs; one that shows no memory has nothing to be compared with."""
    tokens, instead_of = estimate(shown.text), shown.instead_of
    if instead_of is None:
        instead_of = tokens_in_full(context, shown.hashes) or tokens
    named = context.lenient().intake()
    session = named.optional_name("session", shown.session)
    client = named.optional_name("client", shown.client)
    about = (session, shown.hashes, shown.ms, client)
    return Expense(shown.at, shown.operation, tokens, instead_of, *about)


def tokens_in_full(context: Context, hashes: Sequence[str]) -> int:
    """Count what memories would cost as whole objects; those deleted meanwhile cost nothing."""
    # Each is counted once: its text never changes, and new tags weigh next to nothing.
    once = context.part(Ledger).once
    return sum(once(context.space, name, partial(_counted, context, name)) for name in hashes)


def tokens_of_object(memory: Memory) -> int:
    """Count a memory as the JSON object that servers of memories commonly answer with."""
    return estimate(json.dumps(memory._asdict(), ensure_ascii=False))


def _counted(context: Context, name: str) -> int:
    try:
        return tokens_of_object(full_memory(context, find_record(context, name), name))
    except (NotFound, Ambiguous):
        return 0
