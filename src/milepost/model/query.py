"""What a search asks for: the filter that every memory it returns must pass."""

from typing import NamedTuple


class Filter(NamedTuple):
    """Conditions on a memory; times are microseconds since the epoch."""

    space: str
    now: int
    tags: tuple[str, ...] = ()
    match_all: bool = False
    kind: str | None = None
    project: str | None = None
    after: int | None = None
    before: int | None = None
    as_of: int | None = None
    include_superseded: bool = False
    # Whether what belongs to no project passes along with the project's.
    or_unowned: bool = False

    @property
    def holds_at(self) -> int:
        """The moment at which a memory must hold to be seen."""
        return self.now if self.as_of is None else self.as_of
