"""A memory on its way into a store and as a store gives it back; times in microseconds."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The end of what has no end, as a moment.
FOREVER = (1 << 63) - 1


class Analysis(NamedTuple):
    """What a text is found by: its terms (as 32-bit keys), traits and vectors by model."""

    terms: bytes
    traits: int
    vectors: "Mapping[str, NDArray[np.float32]]"


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
    recorded: int
    created: int
    valid_from: int
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
    recorded: int
    created: int
    valid_from: int
    valid_to: int
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
    created: int
