"""Open the store that a path or URL names."""

from pathlib import Path

from milepost.errors import ConfigError
from milepost.ports import Analyser, Store


def open_store(url: str, analyse: Analyser) -> Store:
    """Open a store: a path, sqlite:///relative.db, sqlite:////absolute.db or memory://."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return _sqlite(Path(url), analyse)
    if scheme == "memory":
        from milepost.storage.memory import MemoryStore

        return MemoryStore()
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return _sqlite(Path(rest[1:]), analyse)
    raise ConfigError(
        f"Cannot open the store {url!r}; give a path, sqlite:///relative.db, "
        "sqlite:////absolute.db or memory://."
    )


def _sqlite(path: Path, analyse: Analyser) -> Store:
    from milepost.storage.sqlite.store import SqliteStore

    try:
        place = path.expanduser().absolute()
        str(place).encode()
    except (RuntimeError, UnicodeEncodeError) as problem:
        raise ConfigError(f"Cannot open the store {path!s:.200} ({problem}).") from problem
    if "\0" in str(place):
        raise ConfigError("The path of a store cannot contain a NUL byte.")
    return SqliteStore(place, analyse)
