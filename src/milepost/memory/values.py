"""A memory: on its way into a store, as a store gives it back, and as callers see it.

Stored times are in microseconds since the epoch, shown ones in seconds.
"""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import day, left_out
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

# The end of what has no end, as a moment.
FOREVER = (1 << 63) - 1


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


class Changes(NamedTuple):
    """What to change of a memory in place; None leaves it as it is."""

    tags: tuple[str, ...] | None = None
    kind: str | None = None
    metadata: Mapping[str, Any] | None = None


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

    @property
    def holds_at_us(self) -> int:
        """The moment at which a memory must hold to be seen."""
        return self.now_us if self.as_of_us is None else self.as_of_us


class CompactMemory(NamedTuple):
    """A memory as a search shows it: the passage that answers, not the whole."""

    hash: str
    preview: str
    tags: tuple[str, ...]
    created: float
    score: float

    @for_models
    def __str__(self) -> str:
        tags = f" [{' '.join(self.tags)}]" if self.tags else ""
        return f"{self.hash}{tags} {self.preview}"


class CompactSearchResult(NamedTuple):
    """The best matches, and how many there were in all."""

    memories: tuple[CompactMemory, ...]
    total: int
    query: str

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

    @for_models
    def __str__(self) -> str:
        about = [self.hash, day(self.created), self.kind]
        about += [f"[{' '.join(self.tags)}]"] if self.tags else []
        about += [f"{name}: {value}" for name, value in self._named() if value is not None]
        return f"{' '.join(about)}\n{self.content}"

    def _named(self) -> list[tuple[str, object]]:
        ended = None if self.valid_to is None else day(self.valid_to)
        return [
            ("project", self.project),
            ("session", self.session),
            ("author", self.author),
            ("held until", ended),
            ("superseded by", self.superseded_by),
            ("metadata", dict(self.metadata) or None),
        ]


class Deleted(NamedTuple):
    """What a deletion removed, or would remove."""

    deleted: int
    hashes: tuple[str, ...]
    dry_run: bool = False

    def __str__(self) -> str:
        verb = "would delete" if self.dry_run else "deleted"
        shown = " ".join(self.hashes[:20]) + (" …" if len(self.hashes) > 20 else "")
        return f"{verb} {self.deleted}: {shown}" if self.deleted else f"{verb} nothing"
