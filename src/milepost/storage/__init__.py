"""Open the store that a path or URL names."""

from pathlib import Path

from milepost.errors import ConfigError
from milepost.model.location import file_of
from milepost.ports import Analyser, Store


def open_store(url: str, analyse: Analyser) -> Store:
    """Open a store: a path, sqlite:///relative.db, sqlite:////absolute.db or memory://."""
    path = store_file(url)
    if path is not None:
        from milepost.storage.sqlite.store import SqliteStore

        return SqliteStore(path, analyse)
    if url.startswith("memory://"):
        from milepost.storage.memory import MemoryStore

        return MemoryStore()
    raise ConfigError(
        f"Cannot open the store {url!r}; give a path, sqlite:///relative.db, "
        "sqlite:////absolute.db or memory://."
    )


def store_file(url: str) -> Path | None:
    """Return the absolute path of the file that a URL names; None for what is no file."""
    given = file_of(url)
    if given is None:
        return None
    try:
        place = Path(given).expanduser().absolute()
        str(place).encode()
    except (RuntimeError, UnicodeEncodeError) as problem:
        raise ConfigError(f"Cannot open the store {given!s:.200} ({problem}).") from problem
    if "\0" in str(place):
        raise ConfigError("The path of a store cannot contain a NUL byte.")
    return place
