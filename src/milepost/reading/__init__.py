"""Where documents are read, of whatever format, by processes that can do nothing else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.reading.reader import Reader


def open_reader() -> Reader:
    """Return a reader of documents, for any number of threads; nothing starts before the first.

    It keeps processes for the next document until it is closed.
    """
    import os

    from milepost.errors import Unreadable

    if os.name != "posix":
        raise Unreadable(f"Documents are read on a POSIX system alone, and this is {os.name}.")
    from milepost.reading.reader import Reader

    return Reader()


def lacking() -> dict[str, str]:
    """Return which of the walls around what reads are not there on this system, and why."""
    import os

    if os.name != "posix":
        return {"processes": f"they need a POSIX system, and this is {os.name}"}
    from milepost.sandbox import confinement

    return {wall: why for wall, why in confinement.available().items() if why}
