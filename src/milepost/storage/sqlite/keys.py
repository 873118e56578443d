"""The keys of the encrypted databases that this process may open, and how SQLite is given one."""

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from milepost.errors import ConfigError, StoreEncrypted
from milepost.sealing import Key, beginning_of, is_header, key_among, new_key

# Returns the secrets by which files are opened; the first makes the keys of new ones.
Secrets = Callable[[], Sequence[str]]

_OFFERED: dict[Path, Secrets] = {}
# By store, those of its copies that have a key of their own.
_OF_COPIES: dict[Path, Secrets] = {}


def offer(path: Path, secrets: Secrets, of_copies: Secrets = tuple) -> None:
    """Say where the secrets of a store are; they are read when a file turns out to need one.

    of_copies: those that nothing but copies of it is encrypted by.
    """
    _OFFERED[path.resolve()], _OF_COPIES[path.resolve()] = secrets, of_copies


def key_of(path: Path) -> Key | None:
    """Return the key of a database, None of one in clear text; refuse one whose key is not here.

    What nobody spoke of, such as a copy, is opened by the secrets of the stores that are in use.
    """
    header = beginning_of(path)
    if not is_header(header):
        return None
    secrets = [*_secrets_for(path), *_secrets_of_copies()]
    if not secrets:
        raise StoreEncrypted(
            f"{path} is encrypted; name its key with MILEPOST_ENCRYPTION_KEY_FILE, or keep it with "
            "`milepost config set-secret encryption_key`."
        )
    key = key_among(secrets, header)
    if key is None:
        raise StoreEncrypted(
            f"The key that encryption_key names is not the one of {path}; nothing was changed."
        )
    return key


def key_of_new(path: Path) -> Key | None:
    """Return a key for a database that is to be made, if one was offered for it."""
    secrets = _secrets_for(path) if path.resolve() in _OFFERED else ()
    return new_key(secrets[0]) if secrets else None


def is_of_copies(path: Path) -> bool:
    """Whether a file is encrypted by a secret that is for copies alone."""
    return key_among(_secrets_of_copies(), beginning_of(path)) is not None


def _secrets_of_copies() -> list[str]:
    return [secret for secrets in _OF_COPIES.values() for secret in secrets()]


def _secrets_for(path: Path) -> Sequence[str]:
    known = _OFFERED.get(path.resolve())
    found, away = list[str](), None
    for secrets in _OFFERED.values() if known is None else (known,):
        try:
            found += secrets()
        except ConfigError as problem:
            away = problem  # of another store, perhaps
    if away is not None and not found:
        raise StoreEncrypted(f"{path} needs its key: {away}") from away
    return found


def give(connection: apsw.Connection, key: Key | None) -> None:
    """Let a connection read and write what a key encrypts; nothing of it leaves the memory."""
    if key is not None:
        connection.execute(f"PRAGMA hexkey = '{_raw(key)}'").fetchall()
        connection.execute("PRAGMA temp_store = MEMORY").fetchall()


def as_option(key: Key | None) -> str:
    """Return the part of a file's address that says how it is encrypted."""
    return "key=" if key is None else f"hexkey={_raw(key)}"


def _raw(key: Key) -> str:
    # The second part is what the file begins with.
    return f"raw:{(key.made_for('database') + key.header).hex()}".encode().hex()
