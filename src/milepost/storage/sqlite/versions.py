"""Which state of a space a read shows, told without reading it."""

from collections.abc import Hashable
from typing import NamedTuple

from milepost.storage.sqlite.file import SqliteFile

# With more spaces than this it is asked anew.
_SPACES_MAX = 1_000


class _Known(NamedTuple):
    """What a space's version was, when the file was as it was, and from when until when."""

    file: tuple[int, int]
    version: Hashable
    from_us: int
    until_us: int | None


class SqliteVersions:
    """Tells versions; while nobody writes to the file, that takes no query."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._known: dict[str, _Known] = {}

    def of(self, space: str, now_us: int) -> Hashable | None:
        """Return the version of a space at a moment; None in a transaction, which may be undone."""
        if self._file.is_writing:
            return None
        # One connection does not notice what it writes itself, as it does in memory.
        alone = self._file.is_alone
        number = -1 if alone else self._file.committed("data_version")[0][0]
        state = (self._file.openings, number)
        known = self._known.get(space)
        if (
            known is not None
            and known.file == state
            and not alone
            and known.from_us <= now_us
            and (known.until_us is None or now_us < known.until_us)
        ):
            return known.version
        number, until_us = self._file.committed("version_of", {"space": space, "now": now_us})[0]
        # What ends to hold by itself changes the version when it does: then another is the next.
        version = (self._file.openings, number, until_us)
        if len(self._known) >= _SPACES_MAX:
            self._known.clear()
        self._known[space] = _Known(state, version, now_us, until_us)
        return version

    def doubt(self) -> None:
        """Forget all: another file may be there."""
        self._known.clear()
