"""What a session is told, and what is noticed in it."""

from __future__ import annotations

from milepost.memory.values import TOOL
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


class Reason(NamedTuple):
    """A memory, how likely it is of use, whether it is told, and why."""

    hash: str
    text: str
    likelihood: float
    is_told: bool
    why: str


class Explained(NamedTuple):
    """What a session is told, what was asked for it, and a reason for each memory."""

    briefing: Briefing
    asked: tuple[str, ...] = ()
    memories: tuple[Reason, ...] = ()


class Note(NamedTuple):
    """Something worth remembering that was noticed in a session."""

    kind: str
    text: str
    tags: tuple[str, ...] = ()
    at: float | None = None
    # What later sessions compare it by: the command that failed, the error's signature.
    about: tuple[tuple[str, str], ...] = ()
    # Whose words they are; those of several are trusted as the least of them.
    source: str = TOOL


class Turn(NamedTuple):
    """One entry of a conversation: what was said, or a tool's call with what came of it."""

    role: str
    text: str
    tool: str = ""
    input: str = ""
    failed: bool = False
    at: float | None = None
