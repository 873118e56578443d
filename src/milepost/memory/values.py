"""A memory: on its way into a store, as a store gives it back, and as callers see it.

Stored times are in microseconds since the epoch, shown ones in seconds.
"""

from __future__ import annotations

from milepost.errors import NotFound
from milepost.text.fence import for_models
from milepost.text.lines import day, left_out, listed
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from milepost.workspace.values import Anchor

# The end of what has no end, as a moment.
FOREVER = (1 << 63) - 1


# Where memories come from, what is trusted least first.
MODEL, IMPORT, DOCUMENT, TOOL, ASSISTANT, USER = SOURCES = (
    "model", "import", "document", "tool", "assistant", "user"
)  # fmt: skip
# The kind of memories that are pieces of documents.
PIECE = "document"
# What is to be known of a text: that it wants to tell a model what to do, that it says nothing.
INSTRUCTS, BOILERPLATE = "instructs", "boilerplate"
# What a line says of a text that wants to instruct whoever reads it.
UNTRUSTED = "untrusted"
# Where a memory that stands for others names them, in its metadata.
MERGED = "alike"
# The metadata that says when somebody looked at a memory and kept it.
REVIEWED = "reviewed"
# How a memory stands: one that faded ranks lower, one that was archived is hidden, and so is one
# that wants to instruct a model until somebody has looked at it.
ACTIVE, FADED, ARCHIVED, QUARANTINED = range(4)


def trust_of(source: str, marks: tuple[str, ...]) -> int:
    """Return how far a memory can be trusted: by its source, and not if it instructs."""
    return 0 if INSTRUCTS in marks else SOURCES.index(source) + 1


def is_kept_back(source: str, marks: tuple[str, ...], metadata: Mapping[str, Any]) -> bool:
    """Whether a memory waits for a person: it instructs, is not the user's, nobody looked at it."""
    return INSTRUCTS in marks and source != USER and REVIEWED not in metadata


def weaker(source: str, other: str) -> str:
    """Return the source of the two that is trusted less."""
    return min(source, other, key=SOURCES.index)


class Analysis(NamedTuple):
    """What a text is found by: its terms (as 32-bit keys), traits and vectors by model."""

    terms: bytes
    traits: int
    vectors: Mapping[str, NDArray[np.float32]]


NOT_ANALYSED = Analysis(b"", 0, {})


class Draft(NamedTuple):
    """A memory to store."""

    space: str
    hash: str
    content: str
    kind: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    session: str | None
    author: str | None
    projects: tuple[str, ...]
    recorded_us: int
    created_us: int
    valid_from_us: int
    supersedes: str | None
    analysis: Analysis
    # The branch it was said on, while that is not merged; the files and symbols it rests on.
    branch: str | None = None
    anchors: tuple[Anchor, ...] = ()
    source: str = "user"
    marks: tuple[str, ...] = ()
    # What the words come to by which it says what it says; None for a long text.
    said: int | None = None
    standing: int = ACTIVE


class Record(NamedTuple):
    """A stored memory."""

    id: int
    space: str
    hash: str
    content: str
    kind: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    session: str | None
    position: int
    author: str | None
    projects: tuple[str, ...]
    recorded_us: int
    created_us: int
    valid_from_us: int
    valid_to_us: int
    superseded_by: str | None
    branch: str | None = None
    source: str = "user"
    marks: tuple[str, ...] = ()
    standing: int = ACTIVE


class Changes(NamedTuple):
    """What to change of a memory in place; None leaves it as it is."""

    tags: tuple[str, ...] | None = None
    kind: str | None = None
    metadata: Mapping[str, Any] | None = None
    projects: tuple[str, ...] | None = None
    standing: int | None = None


class Deed(NamedTuple):
    """A deletion or a change that can be taken back: what kind, when, and of how many memories."""

    id: int
    kind: str
    at_us: int
    space: str
    memories: int


# Spaces of deleted memories begin with this sign; from names that are given it is stripped.
BIN = "\x1e"
# Spaces of what finds episodes and patterns begin with this one, and end with whose they are.
ENTRIES = "\x1f"
# What belongs to the store itself lies in a space that nobody can name.
OWN_SPACE = "\x1d"


def bin_of(deed: int) -> str:
    """Return the space in which memories lie that a deed deleted."""
    return f"{BIN}{deed}"


class Indexed(NamedTuple):
    """The part of a text that an index needs to be made again."""

    id: int
    content: str
    author: str | None
    created_us: int


class Filter(NamedTuple):
    """Conditions on a memory."""

    space: str
    now_us: int
    tags: tuple[str, ...] = ()
    match_all: bool = False
    kind: str | None = None
    project: str | None = None
    after_us: int | None = None
    before_us: int | None = None
    as_of_us: int | None = None
    include_superseded: bool = False
    # Whether what belongs to no project passes along with the project's.
    or_unowned: bool = False
    # Of what belongs to a branch, only what belongs to one of these; None for all.
    branches: tuple[str, ...] | None = None
    # The project that is worked on: what belongs to others passes, but counts for less.
    home: str | None = None
    session: str | None = None
    # Only what can be trusted so far.
    trust_min: int = 0
    # Only what belongs to this branch.
    branch: str | None = None
    # Nothing with one of these tags passes.
    without: tuple[str, ...] = ()
    # What waits for a person passes, and nothing else; only lists can be asked for it.
    quarantined: bool = False
    # Nothing of one of these kinds passes.
    without_kinds: tuple[str, ...] = ()
    # Only what this author said; only lists can be asked for it.
    author: str | None = None

    @property
    def holds_at_us(self) -> int:
        """The moment at which a memory must hold to be seen."""
        return self.now_us if self.as_of_us is None else self.as_of_us


class _Row(NamedTuple):
    hash: str
    preview: str
    tags: tuple[str, ...]
    created: float
    score: float


# What a row of a timeline is called that is an event and no memory.
EVENT = "event"


class CompactMemory(_Row):
    """A memory as a search shows it: the passage that answers, not the whole.

    Beside the five fields it says what else there is to know, and reads the whole text.
    """

    _more = ("kind", "project", "when", "mark")

    kind: str = "note"
    project: str | None = None
    # When it was created, as ISO 8601 has it.
    when: str = ""
    # What is to be known of it beside what it says: of another project, older, changed since.
    mark: str = ""

    def told(self, **more: Any) -> CompactMemory:
        """Return the same that says what else there is to know."""
        self.__dict__.update(more)
        return self

    def read_by(self, read: Callable[[str], Memory]) -> None:
        """Have the whole memory read in this way."""
        self.__dict__["_read"] = read

    @property
    def content(self) -> str:
        """The whole text, which is read when it is asked for."""
        if self.kind == EVENT:
            return self.preview
        read = self.__dict__.get("_read")
        if read is None:
            raise NotFound(f"This row has lost its memory; get({self.hash!r}) reads it.")
        return str(read(self.hash).content)

    def __getitem__(self, key: Any) -> Any:
        """Return what stands under a name, as in JSON, or a field by its place."""
        if not isinstance(key, str):
            return tuple.__getitem__(self, key)
        names = (*self._fields, *self._more, "content")
        if key not in names:
            raise KeyError(f"{key!r}; there are {', '.join(names)}")
        return getattr(self, key)

    def keys(self) -> tuple[str, ...]:
        """Return the names of what a row says, so that dict(row) has all of it but the content."""
        return (*self._fields, *self._more)

    def as_dict(self) -> dict[str, Any]:
        """Return the row as data that JSON can be made of."""
        return _as_data(self)

    def _replace(self, **changes: Any) -> CompactMemory:
        return CompactMemory(**self._asdict() | changes).told(**self.__dict__)

    def __reduce__(self) -> tuple[Any, ...]:
        more = {name: value for name, value in self.__dict__.items() if name in self._more}
        return _row, (tuple(self), more)

    def __copy__(self) -> CompactMemory:
        return self

    def __deepcopy__(self, _: object) -> CompactMemory:
        return self

    @for_models
    def __str__(self) -> str:
        # That it is of a document its place says.
        kind = "" if self.kind in ("note", PIECE) else f" {self.kind}"
        tags = f" [{' '.join(self.tags)}]" if self.tags else ""
        mark = f"({self.mark}) " if self.mark else ""
        return f"{self.hash}{kind}{tags} {day(self.created)} {mark}{self.preview}"

    def __repr__(self) -> str:
        shown = (f"{name}={self[name]!r}" for name in (*self._fields, "kind", "project"))
        return f"CompactMemory({', '.join(shown)})"


def _as_data(result: object) -> dict[str, Any]:
    from milepost.codec import to_data

    data: dict[str, Any] = to_data(result)
    return data


def _row(fields: tuple[Any, ...], more: dict[str, Any]) -> CompactMemory:
    return CompactMemory(*fields).told(**more)


class CompactSearchResult(NamedTuple):
    """The best matches, and how many there were in all; goes through the memories like a list."""

    memories: tuple[CompactMemory, ...]
    total: int
    query: str

    def __iter__(self) -> Iterator[CompactMemory]:  # type: ignore[override]
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    def __bool__(self) -> bool:
        return bool(self.memories)

    def __reversed__(self) -> Iterator[CompactMemory]:  # type: ignore[override]
        return reversed(self.memories)

    def __contains__(self, memory: object) -> bool:
        return memory in self.memories

    def index(self, memory: object, *between: Any) -> int:
        """Return the place of a memory."""
        return self.memories.index(memory, *between)

    def count(self, memory: object) -> int:
        """Return how often a memory is among them."""
        return self.memories.count(memory)

    def __reduce__(self) -> tuple[Any, ...]:
        return CompactSearchResult, (self.memories, self.total, self.query)

    def __getitem__(self, key: Any) -> Any:
        """Return a memory by its place, some of them by a slice, or a field by its name."""
        if isinstance(key, str):
            if key not in self._fields:
                raise KeyError(f"{key!r}; there are {', '.join(self._fields)}")
            return getattr(self, key)
        return self.memories[key]

    def as_dict(self) -> dict[str, Any]:
        """Return the result and its rows as data that JSON can be made of."""
        return _as_data(self)

    def read_by(self, read: Callable[[str], Memory]) -> CompactSearchResult:
        """Return the same, whose rows read their whole memories in this way."""
        for memory in self.memories:
            memory.read_by(read)
        return self

    @for_models
    def __str__(self) -> str:
        if not self.memories:
            return "no matching memory" if self.total == 0 else left_out(self.total)
        lines = [str(memory) for memory in self.memories]
        if self.total > len(self.memories):
            lines.append(left_out(self.total - len(self.memories)))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


class Placement(NamedTuple):
    """Why a memory stands where it stands in the answer to a question."""

    hash: str
    place: int | None
    score: float
    shown: bool
    reasons: tuple[str, ...]
    # By what it is judged: what that gives it more, or less, than the usual candidate of the
    # question, as its score is reckoned.
    gains: Mapping[str, float] = {}
    # How near it is in meaning, and which words of the question it has, nearly has and lacks.
    similarity: float = 0.0
    met: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    source: str = "user"
    # How far it is trusted: from 0, for what wants to instruct, to 1, for what the user said; and
    # how far still, after what became of the code that it rests on.
    trust: float = 0.0
    freshness: float = 1.0

    @for_models
    def __str__(self) -> str:
        return "\n".join([f"{self.hash}: {self.reasons[0]}", *self.reasons[1:]])


class Memory(NamedTuple):
    """A whole memory."""

    hash: str
    content: str
    tags: tuple[str, ...]
    kind: str
    metadata: Mapping[str, Any]
    session: str | None
    author: str | None
    project: str | None
    created: float
    recorded: float
    valid_from: float
    valid_to: float | None
    superseded_by: str | None
    full_hash: str
    source: str = "user"
    # What is to be known of it: instructs, boilerplate, faded, archived, code that changed since.
    marks: tuple[str, ...] = ()
    # What it may replace, and what may replace it, each with what changed.
    suggestions: tuple[str, ...] = ()
    # Those that said the same within a day.
    alike: tuple[str, ...] = ()
    # Where it stands in a document: name, then page or line, and heading.
    place: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the memory as data that JSON can be made of."""
        return _as_data(self)

    @for_models
    def __str__(self) -> str:
        about = [self.hash, day(self.created), self.kind]
        about += [f"[{' '.join(self.tags)}]"] if self.tags else []
        about += [f"{name}: {value}" for name, value in self._named() if value is not None]
        return "\n".join((" ".join(about), *(self.suggestions or ()), self.content))

    def _named(self) -> list[tuple[str, object]]:
        ended = None if self.valid_to is None else day(self.valid_to)
        return [
            ("project", self.project),
            ("source", None if self.source == "user" else self.source),
            ("marks", ", ".join(self.marks) or None),
            ("alike", " ".join(self.alike) or None),
            ("place", self.place or None),
            ("session", self.session),
            ("author", self.author),
            ("held until", ended),
            ("superseded by", self.superseded_by),
            ("metadata", dict(self.metadata) or None),
        ]


# Projects that a line names of a tag.
PROJECTS_SHOWN = 3


class TagCount(NamedTuple):
    """How many memories have a tag, in all and by project."""

    tag: str
    memories: int
    projects: Mapping[str, int]

    @for_models
    def __str__(self) -> str:
        parts = [f"{name} {count}" for name, count in self.projects.items()]
        shown = ", ".join([*parts[:PROJECTS_SHOWN], *(["…"] if parts[PROJECTS_SHOWN:] else [])])
        return f"{self.tag} {self.memories}{f' ({shown})' if shown else ''}"


class TagList(NamedTuple):
    """The tags that are used most, and how many there are in all."""

    tags: tuple[TagCount, ...]
    total: int

    @for_models
    def __str__(self) -> str:
        return listed(self.tags, self.total, "no memory has a tag")


class Tally(NamedTuple):
    """How many memories there are, by what they are; times in microseconds.

    sessions: those with most memories; session_count: how many there are in all.
    unowned: how many belong to no project.
    """

    memories: int
    superseded: int
    kinds: Mapping[str, int]
    projects: Mapping[str, int]
    unowned: int
    months: Mapping[str, int]
    sessions: Mapping[str, int]
    session_count: int
    oldest_us: int | None
    newest_us: int | None


class Deleted(NamedTuple):
    """What a deletion removed, or would remove.

    undo_until: the day until which it can be taken back; None for what was erased.
    episodes: those of the session that was named: erased with it, else still there.
    """

    deleted: int
    hashes: tuple[str, ...]
    dry_run: bool = False
    undo_until: str | None = None
    episodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        verb = "erase" if self.undo_until is None else "delete"
        verb = f"would {verb}" if self.dry_run else f"{verb}d"
        if not self.deleted and (self.undo_until or not self.episodes):
            return f"{verb} nothing{self._left()}"
        shown = " ".join(self.hashes[:20]) + (" …" if len(self.hashes) > 20 else "")
        held = f"; undo takes it back until {self.undo_until}" if self.undo_until else ""
        return f"{verb} {self.deleted}: {shown}{held}{self._left()}"

    def _left(self) -> str:
        """Return what became of the episodes of a session."""
        if not self.episodes:
            return ""
        names = " ".join(self.episodes[:20]) + (" …" if len(self.episodes) > 20 else "")
        if self.undo_until is None:
            return f"; with its episodes {names}"
        return f"; its episodes stay until they are erased: {names}"


class TakenBack(NamedTuple):
    """A deed that was taken back: what did it, the memories it concerned, when, and the first."""

    deed: str
    hashes: tuple[str, ...]
    memories: int
    at: float
    preview: str

    @for_models
    def __str__(self) -> str:
        named = " ".join(self.hashes) + (" …" if self.memories > len(self.hashes) else "")
        return f"{day(self.at)} {self.deed} of {self.memories} ({named}): {self.preview}"


class Undone(NamedTuple):
    """What was taken back, or would be, the last first."""

    undone: int
    deeds: tuple[TakenBack, ...]
    dry_run: bool = False

    @for_models
    def __str__(self) -> str:
        if not self.undone:
            return "nothing to take back"
        head = f"{'would take' if self.dry_run else 'took'} back {self.undone}:"
        return "\n".join([head, *map(str, self.deeds)])
