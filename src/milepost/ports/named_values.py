"""Named values and journals, answers that are kept, work that is put off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from milepost.upkeep.values import Job


class Values(Protocol):
    """Single values by name, and journals that only grow."""

    def get(self, space: str, topic: str, key: str) -> str | None:
        """Return the value under a name."""

    def put(self, space: str, topic: str, key: str, value: str | None) -> None:
        """Keep a value under a name in place of the one before; None forgets it."""

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        """Add entries to a journal, which forgets all but its most recent ones, sooner or later.

        They hold no text of memories: a deletion does not look for any.
        """

    def notes(self, space: str, topic: str, since: int, limit: int) -> list[tuple[int, str]]:
        """Return the latest entries of a journal since a time, oldest first, with their times."""

    def count_notes(self, space: str, topic: str, before: int) -> int:
        """Count the entries of a journal before a time."""

    def forget_notes(self, space: str, topic: str, before: int) -> int:
        """Delete the entries of a journal before a time; return how many there were."""


# For so long a call that is sent again under its key is answered as it was.
ANSWERS_KEPT_US = 10 * 60 * 1_000_000


class KeptAnswer(NamedTuple):
    """Which call was made under a key, and what was answered.

    answer: none while it is under way, when that ended with its server, and when it quoted what was
        deleted since.
    """

    call: str
    answer: str | None


class Answers(Protocol):
    """What calls were answered that go by a key, for a while, so that none is done twice."""

    def find(self, space: str, key: str) -> KeptAnswer | None:
        """Return what was answered to the call under a key."""

    def keep(self, space: str, key: str, call: str, answer: str | None, at_us: int) -> bool:
        """Keep an answer under a key, in the transaction under way; False when one is kept already.

        Of two transactions that keep one under the same key only one is committed with True, the
        other waits for it. Answers older than ANSWERS_KEPT_US are forgotten sooner or later. Alone
        it need not be durable.
        """

    def complete(self, space: str, key: str, answer: str) -> None:
        """Give the call under a key, which was kept without one, its answer."""

    def forget(self, space: str, key: str) -> None:
        """Forget that there was a call under a key."""


class Jobs(Protocol):
    """Work for later, of which each piece is there once."""

    def enqueue(self, space: str, topic: str, key: str, payload: str, at: int) -> None:
        """Add work that is due at a time, once; asked for while it runs, it is done once more."""

    def claim(self, topics: Sequence[str], now: int, lease_us: int) -> Job | None:
        """Take the work that has been due longest; it is due again when the lease ends."""

    def prolong(self, job_id: int, claim: str, until: int) -> None:
        """Let a claim end later: who has the work lives and goes on."""

    def finish(self, job_id: int, claim: str) -> bool:
        """Forget work that is done; False when the claim has passed to another."""

    def fail(self, job_id: int, claim: str, problem: str, retry_at: int | None) -> bool:
        """Give work back to be tried later, or for None to be kept as dead."""

    def list(self, space: str, state: str | None, limit: int) -> Sequence[Job]:
        """Return work of a state, or of any, by when it is due."""

    def retry(self, space: str, now: int, job_id: int | None = None) -> int:
        """Let dead work be tried again, all of it or one piece; return how much there was."""

    def drop(self, space: str, job_id: int) -> bool:
        """Forget a piece of dead work; False when there is no such piece."""

    def backlog(self, of: str | None) -> Sequence[tuple[str, str, int, int]]:
        """Count by topic and state the work of a space, or of all, and say since when it is due."""
