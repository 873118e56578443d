"""What is kept of memories and sessions elsewhere: it goes when they are erased."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from milepost.experience.values import Episode
from milepost.memory.context import Context
from milepost.text.phrases import Name, Phrase


class SessionTraces:
    """Who else keeps something of sessions."""

    def episodes(self, context: Context, session: str, project: str | None) -> list[str]:
        """Return the episodes of a session."""
        raise NotImplementedError

    def whole(self, context: Context, names: Sequence[str] | None = None) -> list[Episode]:
        """Return episodes with all their steps, those of some names or every one."""
        raise NotImplementedError

    def forget(self, context: Context, names: Sequence[str]) -> None:
        """Delete episodes for good, with what rests on them alone."""
        raise NotImplementedError

    def erase(self, context: Context, session: str, project: str | None) -> None:
        """Leave nothing of a session."""
        raise NotImplementedError

    def close(self) -> None:
        """End with the store; nothing is open."""


class Surroundings:
    """What lies outside of a store's transactions and may hold what is erased from it."""

    def begun(self, space: str, erasure: str) -> None:
        """Note where whoever opens the store next sees it that an erasure is not finished."""
        raise NotImplementedError

    def finished(self, erasure: str) -> None:
        """Take the note away."""
        raise NotImplementedError

    def alone(self) -> AbstractContextManager[bool]:
        """Keep others from finishing the same; False when somebody else is at it."""
        raise NotImplementedError

    def erase(self, wanted: Phrase | Name, session: str | None) -> None:
        """Take texts out of what sessions left; all of one session, and of those so called."""
        raise NotImplementedError

    def copies(self) -> list[str]:
        """Return the copies that lie beside the store."""
        raise NotImplementedError

    def rewrite(self, copy: str, space: str, act: Callable[[Context], None]) -> None:
        """Do the same in a copy, and put it in the place of the one before when it is whole."""
        raise NotImplementedError

    def scrub(self) -> None:
        """Free what deletions left in the store's files."""
        raise NotImplementedError

    def out_of_reach(self) -> list[str]:
        """Return in words what is never looked into from here."""
        raise NotImplementedError

    def close(self) -> None:
        """End with the store; nothing is open."""
