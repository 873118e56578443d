"""The ledger: what models were given and what it cost, taken down at once and written later."""

import atexit
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from milepost.deadline import working_until
from milepost.ports import Clock, Store
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


class Ledger:
    """The expenses of one space."""

    def __init__(self, writer: "Writer", space: str) -> None:
        self._writer = writer
        self._space = space

    def record(self, expense: Recorded) -> None:
        """Take down an expense, without waiting for the store and without ever failing."""
        self._writer.add(self._space, expense)

    def expenses(self, since: float = 0.0) -> list[Expense]:
        """Return what was spent since a time in seconds, oldest first."""
        self.flush()
        return [expense for expense in self._writer.read(self._space, since) if expense.at >= since]

    def once(self, name: str, count: Callable[[], int]) -> int:
        """Return a number that is counted when it is first asked for."""
        return self._writer.once((self._space, name), count)

    def within(self, space: str) -> "Ledger":
        """Return the ledger of another space, which is written together with this one."""
        return Ledger(self._writer, space)

    def flush(self) -> None:
        """Write what waits."""
        self._writer.flush()

    def close(self) -> None:
        """Write what waits, and take down nothing more."""
        self._writer.close()


def open_ledger(store: Store, clock: Clock, space: str) -> Ledger:
    """Return the ledger that a store keeps for a space."""
    return Ledger(Writer(store, clock), space)


class Writer:
    """Writes expenses of all spaces of a store, from a thread that begins with the first."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._counts: dict[tuple[str, str], int] = {}
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._waiting: list[tuple[str, Recorded]] = []
        self._taking, self._writing = threading.Lock(), threading.Lock()
        self._some, self._many = threading.Event(), threading.Event()
        self._taken_down = self._dropped = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, space: str, expense: Recorded) -> None:
        """Let an expense wait until it is written."""
        if os.getpid() != self._process:
            # A forked child has no thread, and what its parent took down the parent writes.
            self._begin()
        with self._taking:
            count = len(self._waiting) + 1
            if self._closed:
                return
            if count > WAITING_MAX:
                self._dropped += 1
                return
            self._waiting.append((space, expense))
            self._taken_down += 1
            self._thread = self._thread or self._started()
        if count == 1:
            self._some.set()
        elif count == BATCH:
            self._many.set()

    def read(self, space: str, since: float) -> list[Expense]:
        """Return the expenses of a space that were written since a time."""
        found = self._store.noted(space, TOPIC, int(since * 1e6), ENTRIES_MAX)
        return [_read(entry) for _, entry in found]

    def once(self, name: tuple[str, str], count: Callable[[], int]) -> int:
        """Return a number that is counted when it is first asked for."""
        found = self._counts.get(name)
        if found is None:
            if len(self._counts) >= COUNTS_MAX:
                self._counts.clear()
            found = self._counts[name] = count()
        return found

    def flush(self) -> None:
        """Write what waits; who flushes while another writes waits for both."""
        if os.getpid() != self._process:
            return
        with self._writing:
            self._write()

    def close(self) -> None:
        """Write what waits, and end the thread."""
        if os.getpid() != self._process:
            return
        with self._taking:
            self._closed, thread = True, self._thread
        self.flush()
        if thread is not None:
            self._some.set()
            self._many.set()
            thread.join()
            atexit.unregister(self.close)

    def _started(self) -> threading.Thread | None:
        # A daemon, so that it keeps no process alive; at the end of one the rest is written.
        thread = threading.Thread(target=self._run, daemon=True, name="milepost-ledger")
        try:
            thread.start()
            atexit.register(self.close)
        except RuntimeError:  # no more threads; what waits is written when this is closed
            return None
        return thread

    def _run(self) -> None:
        while not self._closed:
            self._some.wait()
            self._wait_for_quiet()
            self.flush()

    def _wait_for_quiet(self) -> None:
        latest, before = time.monotonic() + WAIT_S, -1
        while self._taken_down != before and time.monotonic() < latest:
            before = self._taken_down
            if self._many.wait(QUIET_S):
                return

    def _write(self) -> None:
        with self._taking:
            taken, self._waiting = self._waiting, []
            dropped, self._dropped = self._dropped, 0
            self._some.clear()
            self._many.clear()
        for space, group in groupby(sorted(taken, key=itemgetter(0)), itemgetter(0)):
            self._note(space, [expense for _, expense in group])
        if dropped:
            log.warning(MISSING, dropped, "too many came at once")

    def _note(self, space: str, recorded: Sequence[Recorded]) -> None:
        try:
            entries = [_entry(each() if callable(each) else each) for each in recorded]
            with working_until(time.monotonic() + NOTE_S):
                self._store.note(space, TOPIC, self._clock(), entries, ENTRIES_MAX)
        except Exception as problem:  # noqa: BLE001 -- whoever is served must not suffer from this
            log.warning(MISSING, len(recorded), problem)


def _entry(expense: Expense) -> str:
    return json.dumps(tuple(expense), separators=(",", ":"))


def _read(entry: str) -> Expense:
    at, operation, tokens, instead_of, session, hashes, ms = json.loads(entry)[:7]
    return Expense(at, operation, tokens, instead_of, session, tuple(hashes), ms)
