"""What a session is told, what is noticed in it, and what all of that cost."""

from __future__ import annotations

from milepost.model.results import left_out
from milepost.values import NamedTuple


class Briefing(NamedTuple):
    """What a model is told at the start of a session or on the way; empty when there is nothing."""

    text: str
    hashes: tuple[str, ...]
    tokens: int
    instead_of: int
    project: str | None = None
    # The memory that a prompt asked to store.
    remembered: str | None = None

    def __str__(self) -> str:
        stored = f"remembered {self.remembered}" if self.remembered else ""
        return "\n".join(filter(None, (stored, self.text))) or "nothing to tell"


class Note(NamedTuple):
    """Something worth remembering that was noticed in a session."""

    kind: str
    text: str
    tags: tuple[str, ...] = ()
    at: float | None = None


class Turn(NamedTuple):
    """One entry of a conversation: what was said, or a tool's call with what came of it."""

    role: str
    text: str
    tool: str = ""
    input: str = ""
    failed: bool = False
    at: float | None = None


class Expense(NamedTuple):
    """A text that was handed to a model: where, what it cost, and what whole objects would have."""

    at: float
    operation: str
    tokens: int
    instead_of: int
    session: str | None = None
    hashes: tuple[str, ...] = ()
    ms: float | None = None


class Spending(NamedTuple):
    """What was handed to models on a day or in a session, and what whole objects would cost."""

    name: str
    texts: int
    tokens: int
    instead_of: int

    @property
    def saved(self) -> float:
        """The share that was saved; below 0 where whole objects would have been shorter."""
        return 1 - self.tokens / self.instead_of if self.instead_of else 0.0

    def __str__(self) -> str:
        return f"{self.name} {self.texts} {self.tokens} {self.instead_of} {self.saved:.0%}"


class Savings(NamedTuple):
    """What was handed to models over some days: in all, by day, and by session, latest last."""

    total: Spending
    days: tuple[Spending, ...]
    sessions: tuple[Spending, ...]

    def __str__(self) -> str:
        if not self.total.texts:
            return f"{self.total.name}: nothing was handed to a model"
        days, sessions = self.days[-SPENDINGS_SHOWN:], self.sessions[-SPENDINGS_SHOWN:]
        more = len(self.days) + len(self.sessions) - len(days) - len(sessions)
        total = self.total
        lines = [
            f"{total.name}: {total.tokens} tokens for {total.instead_of}, {total.saved:.0%} saved",
            "name texts tokens instead_of saved",
            *map(str, (*days, *sessions)),
        ]
        return "\n".join([*lines, left_out(more)] if more else lines)


# Days and sessions that a model is shown of its savings.
SPENDINGS_SHOWN = 10
