"""A store: its nouns, and the unit of work."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from milepost.memory.values import Analysis, Indexed
from milepost.ports.audit import Audit
from milepost.ports.candidates import Candidates
from milepost.ports.contents import Contents, Synced
from milepost.ports.documents import Documents
from milepost.ports.experience import Episodes, Patterns
from milepost.ports.knowledge import Entities, Events, Observations, Relations
from milepost.ports.memories import Anchors, Branches, Counts, Deeds, Links, Memories
from milepost.ports.named_values import Answers, Jobs, Values


class Work(Protocol):
    """The nouns of a store; a write of one of them alone is a durable transaction of its own."""

    @property
    def memories(self) -> Memories: ...
    @property
    def anchors(self) -> Anchors: ...
    @property
    def branches(self) -> Branches: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def candidates(self) -> Candidates: ...
    @property
    def values(self) -> Values: ...
    @property
    def answers(self) -> Answers: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def episodes(self) -> Episodes: ...
    @property
    def patterns(self) -> Patterns: ...
    @property
    def deeds(self) -> Deeds: ...
    @property
    def events(self) -> Events: ...
    @property
    def links(self) -> Links: ...
    @property
    def entities(self) -> Entities: ...
    @property
    def relations(self) -> Relations: ...
    @property
    def observations(self) -> Observations: ...
    @property
    def documents(self) -> Documents: ...
    @property
    def synced(self) -> Synced: ...
    @property
    def contents(self) -> Contents: ...


class Store(Work, Protocol):
    """Keeps what is remembered, of many spaces."""

    # How many seconds each transaction took that wrote, the latest; whoever counts takes them out.
    write_times: deque[float]

    @property
    def backend(self) -> str: ...

    def within(self, space: str) -> Store:
        """Return the same store for one space: others are neither seen nor written through it.

        Where nothing but the code's own care can keep spaces apart, that is the store itself.
        """

    def writing(self, *, durable: bool = True) -> AbstractContextManager[Work]:
        """Write several nouns in one transaction, all of it or nothing.

        What is not durable is seen by all, and on disk with the next write that is.
        """

    def rehearsing(self) -> AbstractContextManager[list[str]]:
        """Undo what this thread writes until the end; say in words what it would have done."""

    def version(self, space: str, now_us: int) -> Hashable | None:
        """Return what is another whenever memories of a space, or links between them, are others.

        Two reads of what holds at the moments for which the same was returned show the same, if it
        was asked for before them: so an answer may be given again. It is another after every commit
        of whatever process, after what ends to hold by itself at a moment, and after the store was
        replaced; it costs far less than a search. None where that cannot be told, as in a
        transaction, which sees what may be undone.
        """

    def moved_to(self, space: str) -> str | None:
        """Return the store that a space was moved to: what is left of it here is an old copy."""

    def written_up_to(self) -> int:
        """Return how far a copy that is read must be to show all that is written by now.

        Elsewhere it is given to `own_writes.needing`; 0 where no copy is read that may be behind.
        """

    def size_bytes(self) -> int:
        """Return how much room it takes on disk, with its index; 0 for what is in memory alone."""

    def problems(self) -> Sequence[str]:
        """Tell in words what keeps the store from working as it should; mends what it can."""

    def tend(self) -> None:
        """Do what searches need now and then and nobody shall wait for; it may take minutes.

        Processes that live long call it; where another does it already nothing is done.
        """

    def when_work_comes(self, wake: Callable[[], None]) -> None:
        """Call when others put off work; a store that does not hear of that never calls."""

    def close(self) -> None:
        """Let go of files and connections."""


class Analyser(Protocol):
    """Makes an analysis of a text; stores use it when their terms are of an older kind."""

    def __call__(self, memory: Indexed) -> Analysis: ...
