"""Open the store that a path or URL names."""

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from milepost.errors import ConfigError
from milepost.location import file_of, is_database, shown
from milepost.ports import Analyser, Store
from milepost.storage.options import USUAL, DatabaseOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from milepost.memory.values import Record
    from milepost.storage.sqlite.store import SqliteStore
    from milepost.storage.tables.memories import Erase


def open_store(
    url: str,
    analyse: Analyser,
    erase_beside: "Erase" = lambda _: None,
    options: DatabaseOptions = USUAL,
    *,
    read_only: bool = False,
) -> Store:
    """Open a store: a path, sqlite:///relative.db, sqlite:////absolute.db, memory://, postgresql://….

    erase_beside: takes deleted texts out of what lies beside the store.
    read_only: nothing of a file is changed, nor made beside it.
    """
    path = store_file(url)
    if path is not None and read_only:
        from milepost.storage.sqlite.store import SqliteStore

        return SqliteStore(path.resolve(), analyse, read_only=True)
    if path is not None:
        return _shared(path, analyse, erase_beside)
    if url.startswith("memory://"):
        from milepost.storage.sqlite.store import SqliteStore

        return SqliteStore(None, analyse)
    if is_database(url):
        return _postgres(url, analyse, erase_beside, options)
    raise ConfigError(
        f"Cannot open the store {shown(url)!r}; give a path, sqlite:///relative.db, "
        "sqlite:////absolute.db, memory:// or postgresql://user@host/database."
    )


def _postgres(
    url: str, analyse: Analyser, erase_beside: "Erase", options: DatabaseOptions
) -> Store:
    try:
        from milepost.storage.postgres.store import PostgresStore
    except ImportError as problem:
        raise ConfigError(
            f"A store on PostgreSQL needs psycopg ({problem}); install milepost[postgres]."
        ) from problem
    return PostgresStore(url, analyse, erase_beside=erase_beside, options=options)


def _shared(path: Path, analyse: Analyser, erase_beside: "Erase") -> Store:
    """Open a file once for all who use it in this process.

    A file that was put in the place of one that is open is another.
    """
    from milepost.storage.sqlite.store import SqliteStore

    place = path.resolve()
    with _OPENING.setdefault(place, threading.Lock()):
        known = _STORES.get(place)
        if known is None or not known.share():
            known = _STORES[place] = SqliteStore(place, analyse, erase_beside=erase_beside)
        return known


# The stores that are open in this process, by their files.
_STORES: "WeakValueDictionary[Path, SqliteStore]" = WeakValueDictionary()
_OPENING: dict[Path, threading.Lock] = {}
if hasattr(os, "register_at_fork"):
    # A thread that was opening one is not there in the child, and would never let go.
    os.register_at_fork(after_in_child=_OPENING.clear)


class PlainStore:
    """What of a store's file can be read with Python's own library alone."""

    def __init__(self, url: str, space: str) -> None:
        path = store_file(url)
        if path is None:
            raise ConfigError(f"Only a file can be read plainly, not {shown(url)}.")
        if not path.exists():
            raise FileNotFoundError(2, "there is no store yet", str(path))
        self._path, self._space = path, space

    def newest(
        self, project: str | None, branch: str | None, names: "Sequence[str] | None", limit: int
    ) -> "list[Record]":
        """Return the newest memories of a project, and of none; names are kinds or tags."""
        from milepost.storage.sqlite import plain_reading

        return plain_reading.newest(self._path, self._space, project, branch, names, limit)

    def value(self, topic: str, key: str) -> str | None:
        """Return a value that is kept beside the memories."""
        from milepost.storage.sqlite import plain_reading

        return plain_reading.kept(self._path, self._space, topic, key)


def store_file(url: str) -> Path | None:
    """Return the absolute path of the file that a URL names; None for what is no file."""
    name = file_of(url)
    if name is None:
        return None
    try:
        place = Path(name).expanduser().absolute()
        str(place).encode()
    except (RuntimeError, UnicodeEncodeError) as problem:
        raise ConfigError(f"Cannot open the store {name!s:.200} ({problem}).") from problem
    if "\0" in str(place):
        raise ConfigError("The path of a store cannot contain a NUL byte.")
    return place
