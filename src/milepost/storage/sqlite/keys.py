"""The keys of the encrypted databases that this process may open, and how SQLite is given one."""

from pathlib import Path

import apsw

from milepost.errors import StoreEncrypted
from milepost.sealing import Key, beginning_of, is_header, key_among, new_key
from milepost.storage import offered
from milepost.storage.offered import Secrets


def offer(path: Path, secrets: Secrets) -> None:
    """Say where the secrets of a file are."""
    offered.offer(_place(path), secrets)


def key_of(path: Path) -> Key | None:
    """Return the key of a database, None of one in clear text; refuse one whose key is not here.

    What nobody spoke of, such as a copy, is opened by the secrets of the stores that are in use.
    """
    header = beginning_of(path)
    if not is_header(header):
        return None
    place = _place(path)
    secrets = [*offered.secrets_for(place), *offered.secrets_of_copies()]
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
    place = _place(path)
    secrets = offered.secrets_for(place) if offered.is_offered(place) else ()
    return new_key(secrets[0]) if secrets else None


def is_of_copies(path: Path) -> bool:
    """Whether a file is encrypted by a secret that is for copies alone."""
    return key_among(offered.secrets_of_copies(), beginning_of(path)) is not None


def _place(path: Path) -> str:
    return str(path.resolve())


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
