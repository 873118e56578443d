"""What is remembered, and what belongs to it: anchors, branches, counts, links, deeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from milepost.knowledge.values import MemoryLink
from milepost.memory.values import Changes, Deed, Draft, Filter, Record, TagCount, Tally
from milepost.ports.audit import AuditNote
from milepost.workspace.values import Anchor


class Page(NamedTuple):
    """Some of the memories that pass a filter, and how many do in all."""

    ids: list[int]
    total: int


class Stored(NamedTuple):
    """How memories are called that were just stored, and those of late that say the same."""

    names: list[str]
    again: list[Record]


class Conflict(Exception):
    """Another changed the same meanwhile: nothing was written, and all of it may be tried again."""


class Memories(Protocol):
    """What is remembered, by space and hash."""

    def add(self, drafts: Sequence[Draft], deed: int | None = None) -> None:
        """Store memories; known content gains the tags and project and holds again.

        A deed holds what they replace, so that it can be taken back.
        """

    def store(
        self, drafts: Sequence[Draft], digits: int, since_us: int, deed: int | None = None
    ) -> Stored:
        """Store memories, and return what whoever stores them asks next, all in one step.

        digits: so many of a hash a name has at least; since_us: when late begins.
        """

    def store_alone(
        self, draft: Draft, digits: int, since_us: int, noted: AuditNote | None
    ) -> str | None:
        """Store a memory in a transaction of its own, quicker than `store`; return its name.

        None, with nothing stored, where its text is known or says what was said of late, where it
        is stored with more, and where there is no quicker way.
        """

    def put(self, draft: Draft) -> None:
        """Store a memory in place of the one that has its hash."""

    def settle(self, draft: Draft, valid_to_us: int, superseded_by: str | None) -> None:
        """Let a memory that was put be what the draft says in all else, and end as is said."""

    def change(self, memory_id: int, changes: Changes, deed: int | None = None) -> None:
        """Change a memory in place; a deed holds how it was."""

    def mark(self, record: Record, marks: tuple[str, ...]) -> None:
        """Say what is to be known of a memory's text; how far it is trusted follows from that."""

    def supersede(self, memory_id: int, by: int, at_us: int, deed: int | None = None) -> None:
        """Let a memory be replaced by another from a time on; a deed holds how it was."""

    def end(self, ids: Sequence[int], at_us: int, deed: int | None = None) -> None:
        """Let memories hold no longer than until a time; a deed holds how they were."""

    def discard(self, ids: Sequence[int], deed: int) -> int:
        """Move memories into the bin of a deed, where nothing finds them; return how many.

        Their texts are blanked in what is kept and waits, as if they were deleted.
        """

    def remove(self, ids: Sequence[int]) -> int:
        """Delete memories and all that was derived from them; return how many there were.

        Their texts are blanked and their hashes left out in what is kept and waits in their space,
        and all of it is forgotten when neither a memory nor an episode is left there.
        """

    def hashes(self, space: str, prefix: str, limit: int) -> list[str]:
        """Return the full hashes that start with a prefix."""

    def shortest(self, space: str, hashes: Sequence[str], at_least: int) -> list[str]:
        """Return of each hash the shortest prefix that no other memory of the space shares."""

    def record(self, space: str, full_hash: str) -> Record | None:
        """Return a memory by its full hash."""

    def records(self, ids: Sequence[int]) -> list[Record]:
        """Return memories in the order of the ids; deleted ones are left out."""

    def replaced_by(self, memory_id: int) -> list[int]:
        """Return the memories that one has replaced."""

    def owners(self, ids: Sequence[int]) -> dict[int, str]:
        """Return by memory the episode or pattern that is found by it."""

    def said_twice(self, space: str, keys: Sequence[int], since_us: int) -> list[Record]:
        """Return the memories since a time that hold and share what their words come to."""

    def count(self, where: Filter) -> int:
        """Count the memories that pass a filter."""


class Anchors(Protocol):
    """The files and symbols that memories rest on, as they were then."""

    def of(self, ids: Sequence[int]) -> dict[int, tuple[Anchor, ...]]:
        """Return by memory what it rests on."""

    def anchored(self, space: str, project: str, now_us: int) -> list[int]:
        """Return the memories of a project that hold and rest on something, newest first."""

    def put(self, memory_id: int, anchors: Sequence[Anchor]) -> None:
        """Let a memory rest on these, and on nothing else."""


class Branches(Protocol):
    """The branches that memories belong to until these are merged."""

    def of(self, space: str, project: str) -> list[str]:
        """Return the branches that memories of a project belong to."""

    def release(self, space: str, project: str, branch: str) -> int:
        """Let the memories of a branch belong to the project alone; return how many there were."""


class Counts(Protocol):
    """How many memories there are of each sort."""

    def tally(self, space: str, now_us: int) -> Tally:
        """Count the memories of a space by what they are."""

    def tags(self, space: str, project: str | None, now_us: int) -> list[TagCount]:
        """Return the tags of what holds, most used first, with the projects they are used in."""

    def accounts(self) -> Mapping[str, tuple[int, int]]:
        """Return by space how many memories are there, in bins too, and how many were removed.

        Of all spaces, at one moment. Their sum becomes less when somebody else removes some.
        """


class Deeds(Protocol):
    """Deletions and changes of memories that can be taken back."""

    def begin(self, space: str, kind: str, at_us: int) -> int:
        """Begin to hold what is deleted or changed now, under a number."""

    def find(self, space: str, kinds: Sequence[str], limit: int) -> list[Deed]:
        """Return the latest deeds of some kinds, latest first."""

    def about(self, space: str, prefix: str) -> list[tuple[Deed, int, str]]:
        """Return the deeds about memories whose hashes begin so, with id and hash, latest first."""

    def some(self, deed: int, limit: int) -> list[tuple[str, str]]:
        """Return the hash and the beginning of some memories that a deed concerns."""

    def binned(self, space: str, prefix: str) -> list[Record]:
        """Return the deleted memories that are held and whose hashes begin so."""

    def held(self, where: Filter) -> list[int]:
        """Return the deleted memories that are held and pass a filter."""

    def take_back(
        self, deed: int, at_us: int, memory_id: int | None = None, kept: Sequence[int] = ()
    ) -> list[int]:
        """Put back what a deed changed, or one memory that it deleted.

        What some memories say of themselves is kept as it is by now.

        What it stored is discarded under a deed of the kind undo. Return the ids of those that it
        had deleted.
        """

    def forget(
        self,
        space: str,
        before_us: int,
        spared: Callable[[Sequence[int]], set[int]] = lambda _ids: set(),
    ) -> int:
        """Delete for good what deeds before a time hold; return how many memories that were.

        spared: tells which of some memories stay all the same.
        """

    def due(self, space: str, before_us: int) -> list[int]:
        """Return the memories that `forget` would delete, were none of them spared."""

    def count(self, space: str) -> int:
        """Count the deleted memories that are held."""

    def oldest_us(self, space: str) -> int | None:
        """Return when the oldest deed was done that is held."""


class Links(Protocol):
    """What memories have to do with each other; a link goes with either of its ends."""

    def add(self, space: str, links: Sequence[MemoryLink]) -> int:
        """Link memories by their full hashes; return how many links are new."""

    def of(self, space: str, ids: Sequence[int]) -> list[MemoryLink]:
        """Return the links from and to memories, by kind and falling weight."""

    def towards(self, kind: str, ids: Sequence[int]) -> list[tuple[int, int]]:
        """Return the links of a kind that end at some memories: where each begins, and its end."""

    def between(self, space: str, kind: str, now_us: int, limit: int) -> list[MemoryLink]:
        """Return the latest links of a kind between memories that hold."""

    def remove(self, space: str, link: MemoryLink) -> bool:
        """Take a link away; False when there is none."""

    def remove_run(self, run: str) -> int:
        """Take the links of a consolidation away; return how many there were."""
