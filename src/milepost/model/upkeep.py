"""What is known of a store as a thing to look after; times in seconds, sizes in bytes."""

from collections.abc import Mapping
from typing import NamedTuple


class StoreInfo(NamedTuple):
    """What a store holds and how large it is."""

    file: str
    bytes: int
    free_bytes: int
    index_bytes: int
    segments: int
    schema: int
    memories: int
    hidden: int
    oldest: float | None
    newest: float | None
    kinds: Mapping[str, int]
    spaces: Mapping[str, int]
    tags: Mapping[str, int]
    vectors: Mapping[str, int]
    episodes: int = 0
    patterns: int = 0


class StoreCheck(NamedTuple):
    """What is wrong with a store and with its index; nothing when both are whole."""

    file: str
    problems: tuple[str, ...]
    index_problems: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Whether all is well."""
        return not self.problems and not self.index_problems


class CopyInfo(NamedTuple):
    """A whole copy of a store."""

    file: str
    bytes: int
    memories: int
    schema: int
    made: float


# What a copy of a store is: made by hand, before an upgrade, by a restore, or never finished.
BACKUP, MIGRATION, REPLACED, LEFTOVER = COPIES = ("backup", "migration", "replaced", "leftover")


class Copy(NamedTuple):
    """A file beside a store that is a copy of it, or was to become one.

    memories: how many it holds; None when it cannot be read.
    """

    file: str
    kind: str
    bytes: int
    made: float
    memories: int | None


class Restored(NamedTuple):
    """A store that was replaced by a copy, and where what it replaced is kept."""

    file: str
    source: str
    memories: int
    kept: str | None
