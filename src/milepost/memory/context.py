"""What every service works with, and how a memory is named and shown."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from milepost.errors import Ambiguous, NotFound
from milepost.memory import validation
from milepost.memory.texts import Texts
from milepost.memory.validation import REDACT, REFUSE, Intake
from milepost.memory.values import (
    ACTIVE,
    ARCHIVED,
    FADED,
    FOREVER,
    QUARANTINED,
    Draft,
    Memory,
    Record,
    weaker,
)
from milepost.once import WITNESS
from milepost.ports import Clock, LanguageModel, Reflector, Store, Work, Workspaces
from milepost.workspace.values import Place

T = TypeVar("T")

HASH_DIGITS = 8


class Parts:
    """What capabilities keep open beside a store: made when it is first needed, closed with it."""

    def __init__(self, makers: Mapping[type, Callable[[], Any]], counted: Any = None) -> None:
        self._makers = makers
        # Where calls are counted: asked for at every call, so not looked up by its kind.
        self.counted = counted
        self._made: dict[type, Any] = {}
        self._lock = threading.RLock()

    def get(self, kind: type[T]) -> T:
        """Return the part of a kind."""
        part: T | None = self._made.get(kind)
        if part is None:
            with self._lock:
                part = self._made.get(kind)
                if part is None:
                    part = self._made[kind] = self._makers[kind]()
        return part

    def close(self) -> None:
        """Close what was made, in the order of the makers."""
        for kind in self._makers:
            part = self._made.get(kind)
            if part is not None:
                part.close()


class Context(NamedTuple):
    """An open store with the analysis of texts, a clock, the space it is used for, its parts."""

    store: Store
    texts: Texts
    clock: Clock
    space: str
    parts: Parts
    reflector: Reflector | None = None
    secrets: str = REDACT
    place: Place = Place()
    workspaces: Workspaces | None = None
    # For how long what is deleted or changed can be taken back.
    held_us: int = 30 * 86_400 * 1_000_000
    # For how many days events are kept; 0 keeps them for good.
    event_days: int = 90
    # Whether the audit tells of reads too.
    notes_reads: bool = False
    # Each is told of memories that are about to be stored, and writes in that transaction.
    learners: "tuple[Learner, ...]" = ()
    # Each is told of memories once they are stored, as far as there is time.
    followers: "tuple[Follower, ...]" = ()
    # Whose words are stored: no more trusted than this is anything that comes in here.
    source: str = "user"
    # The folders whose files others than who runs this process may have read.
    ingest_folders: tuple[str, ...] = ()
    # Whether what was asked and then used is kept, to be asked again when recall is measured.
    keeps_questions: bool = True
    # What may be asked, where somebody wants that; nothing needs it.
    model: LanguageModel | None = None
    # What the settings come to in a space, by the fields above.
    settings_in: "Callable[[str], Mapping[str, Any]] | None" = None
    # Where spaces are; without it all are in this store.
    placed: "PlacedSpaces | None" = None

    def part(self, kind: type[T]) -> T:
        """Return what a capability keeps open beside the store."""
        return self.parts.get(kind)

    @property
    def now_s(self) -> float:
        """The time in seconds since the epoch."""
        return self.clock() / 1e6

    def intake(self) -> Intake:
        """Return what takes in all that one call wants written."""
        return Intake(self.secrets)

    def close(self) -> None:
        """End what works beside the store, and let go of the store."""
        if self.placed is not None:
            self.placed.close()
        else:
            self.release()

    def release(self) -> None:
        """Let go of this one store."""
        self.parts.close()
        self.store.close()

    def problems(self) -> list[str]:
        """Tell in words what keeps this store, and those of other spaces, from working."""
        return list((self.store if self.placed is None else self.placed).problems())

    def lenient(self) -> "Context":
        """Return the same that hides what it would refuse.

        For hooks, who have nobody to word it otherwise, and for names that are only asked for.
        """
        return self._replace(secrets=REDACT) if self.secrets == REFUSE else self

    def within(self, space: str) -> "Context":
        """Return the same for another space, with the settings that are in force there."""
        return self.moved_to(self if self.placed is None else self.placed.home(space), space)

    def moved_to(self, home: "Context", space: str) -> "Context":
        """Return the same for a space of a store that is open."""
        settings = {} if home.settings_in is None else home.settings_in(space)
        return self._replace(
            space=space,
            store=home.store.within(space),
            parts=home.parts,
            settings_in=home.settings_in,
            **settings,
        )

    def anew(self) -> "Context":
        """Return the same as it is now: the space may have been moved since."""
        return self.within(self.space)

    def by(self, source: str | None) -> "Context":
        """Return the same for who is trusted no more than a source."""
        return self if source is None else self._replace(source=weaker(self.source, source))

    def at(self, place: Place) -> "Context":
        """Return the same for who works at another place."""
        return self._replace(place=place)


class PlacedSpaces(Protocol):
    """The stores that spaces are on."""

    def home(self, space: str) -> Context:
        """Return the store of a space, opened, with what works beside it."""

    def problems(self) -> list[str]:
        """Tell in words what keeps stores from working as they should."""

    def close(self) -> None:
        """Let go of all of them."""


# Learns something from memories before their transaction begins; returns what it writes in it, if
# anything.
Learner = Callable[[Context, Sequence[Draft | Record]], Callable[[Work], None] | None]
# Says by the names of memories what each may take the place of, and why.
Follower = Callable[[Context, Sequence[Draft]], Mapping[str, str]]


class Service:
    """Operations over a context that is opened when the first of them is called."""

    def __init__(self, open_context: Callable[[], Context]) -> None:
        self._open_context = open_context

    @property
    def _context(self) -> Context:
        witness = WITNESS.get()
        return self._open_context() if witness is None else witness.opened(self._open_context)

    @property
    def _space_worked_in(self) -> str:
        """The space that is worked in."""
        return self._context.space


def find_record(context: Context, name: object) -> Record:
    """Return the memory that a hash or its beginning names."""
    prefix = validation.hash_prefix(name)
    hashes = context.store.memories.hashes(context.space, prefix, limit=6)
    if not hashes:
        raise NotFound(f"No memory has the hash {prefix}; search for it to see its hash.")
    if len(hashes) > 1:
        names = ", ".join(short_hashes(context, hashes[:5]))
        raise Ambiguous(f"{len(hashes)} or more memories start with {prefix}: {names}; add digits.")
    record = context.store.memories.record(context.space, hashes[0])
    if record is None:
        raise NotFound(f"The memory {prefix} was deleted a moment ago.")
    return record


def short_hash(context: Context, full_hash: str) -> str:
    """Return the digits that are enough to name a memory."""
    return short_hashes(context, [full_hash])[0]


def short_hashes(context: Context, hashes: Sequence[str]) -> list[str]:
    """Return the digits that are enough to name each of several memories."""
    return context.store.memories.shortest(context.space, hashes, HASH_DIGITS)


def full_memory(context: Context, record: Record, name: str | None = None) -> Memory:
    """Return a memory as callers see it, with times in seconds.

    name: its short hash, where that is known already.
    """
    successor = record.superseded_by
    return Memory(
        hash=name or short_hash(context, record.hash),
        content=record.content,
        tags=record.tags,
        kind=record.kind,
        metadata=record.metadata,
        session=record.session,
        author=record.author,
        project=record.projects[0] if record.projects else None,
        created=record.created_us / 1e6,
        recorded=record.recorded_us / 1e6,
        valid_from=record.valid_from_us / 1e6,
        valid_to=None if record.valid_to_us == FOREVER else record.valid_to_us / 1e6,
        superseded_by=None if successor is None else short_hash(context, successor),
        full_hash=record.hash,
        source=record.source,
        marks=(*record.marks, *_STANDING[record.standing]),
    )


_STANDING = {
    ACTIVE: (),
    FADED: ("faded",),
    ARCHIVED: ("archived",),
    QUARANTINED: ("quarantined",),
}
