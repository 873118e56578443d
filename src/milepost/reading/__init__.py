"""Where documents are read, of whatever format; none of them is trusted."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.reading.reader import Reader


def open_reader() -> Reader:
    """Return a reader of documents; nothing starts before the first one."""
    from milepost.reading.reader import Reader

    return Reader()
