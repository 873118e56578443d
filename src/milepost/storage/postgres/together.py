"""Let threads that write at the same time share a transaction: who comes first writes for all.

Whoever is alone waits for nobody. Meanwhile others gather, and the first of them writes for them
next. No lock is waited for here: a home that somebody else writes to is left out, and so are all
when anything fails; each of these then writes alone, and hears of his own failure.
"""

import os
import threading
from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

from milepost.deadline import check_time, seconds_left, without_deadline
from milepost.storage.postgres.connections import Connections, log, our_errors
from milepost.storage.postgres.transaction import enter_if_free, one_round_trip

# So many are written by one; the others wait for the next.
_MOST = 32
# So long a connection is waited for on behalf of all, who then wait each for himself.
_WAIT_S = 1.0


class Wish:
    """A statement that somebody wants run for a home, and what came of it."""

    def __init__(self, home: str, number: int, statement: bytes, values: Any) -> None:
        self.home, self.number, self.statement, self.values = home, number, statement, values
        # None when it is to be written alone.
        self.rows: list[Any] | None = None
        self.leads = False
        self.turn = threading.Event()


class Together:
    """Writes what threads of this process want written."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.begin()
        _OPEN.add(self)

    def begin(self) -> None:
        """Have nobody waiting, as in a child that was forked."""
        self._lock = threading.Lock()
        self._waiting: list[Wish] = []
        self._led = False

    def run(self, wish: Wish) -> list[Any] | None:
        """Return what a statement returned, on disk; None when it was not run."""
        with self._lock:
            self._waiting.append(wish)
            wish.leads, self._led = not self._led, True
        if not wish.leads:
            self._wait(wish)
        if wish.leads:
            self._lead()
        return wish.rows

    def _wait(self, wish: Wish) -> None:
        """Return when a wish was granted or refused, or is to lead."""
        try:
            in_time = wish.turn.wait(seconds_left())
        except BaseException:
            self._withdraw(wish)
            raise
        if not in_time:
            if self._withdraw(wish):
                check_time()
            wish.turn.wait()  # for who is about to write it

    def _withdraw(self, wish: Wish) -> bool:
        """Take back a wish; False when somebody is writing it."""
        with self._lock:
            if wish not in self._waiting:
                return False
            self._waiting.remove(wish)
        if wish.leads:
            self._hand_on()
        return True

    def _lead(self) -> None:
        """Write what waits, and let the next lead, if there is one."""
        with self._lock:
            wishes, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
        try:
            self._write(wishes)
        finally:
            self._hand_on()
            for wish in wishes:
                wish.turn.set()

    def _hand_on(self) -> None:
        with self._lock:
            self._led = bool(self._waiting)
            if self._led:
                self._waiting[0].leads = True
                self._waiting[0].turn.set()

    def _write(self, wishes: Sequence[Wish]) -> None:
        try:
            # Those of others are among them, who may have more time.
            with without_deadline():
                rows = self._sent(wishes)
        except Exception as problem:  # noqa: BLE001 -- whose it is shows when each writes alone
            log.debug("%d writers write alone: %s", len(wishes), problem)
            return
        for wish, found in zip(wishes, rows, strict=True):
            wish.rows = found or None

    def _sent(self, wishes: Sequence[Wish]) -> list[list[Any]]:
        most_s = self._connections.statement_s
        with self._connections.one(_WAIT_S) as connection, our_errors(self._connections.name):
            cursors = []
            with one_round_trip(connection):
                for wish in wishes:
                    enter_if_free(connection, wish.home, wish.number, most_s)
                    cursors.append(connection.execute(wish.statement, wish.values))
            return [cursor.fetchall() for cursor in cursors]


# Those of this process, for whom nobody of its parent writes in a forked child.
_OPEN: "WeakSet[Together]" = WeakSet()


def _after_fork_in_child() -> None:
    for together in list(_OPEN):
        together.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
