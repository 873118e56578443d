"""The key of a database whose texts are sealed: which one it is says a header in `meta`."""

from base64 import b64decode, b64encode

from milepost.errors import StoreEncrypted
from milepost.sealing import Key, key_among
from milepost.storage.offered import secrets_for
from milepost.storage.postgres.connections import SCHEMA, Connection, Connections, our_errors

_NAME = "sealed"


def header_in(connection: Connection) -> bytes | None:
    """Return how what is sealed in a database begins; None where nothing is."""
    there = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.meta",)).fetchone()
    if there is None or there[0] is None:
        return None
    found = connection.execute(
        f"SELECT value FROM {SCHEMA}.meta WHERE key = %s",  # noqa: S608 -- no input
        (_NAME,),
    ).fetchone()
    return b64decode(found[0]) if found else None


def put_header(connection: Connection, key: Key | None) -> None:
    """Say by which key a database is sealed from now on, or that it is not."""
    connection.execute(f"DELETE FROM {SCHEMA}.meta WHERE key = %s", (_NAME,))  # noqa: S608 -- no input
    if key is not None:
        connection.execute(
            f"INSERT INTO {SCHEMA}.meta (key, value) VALUES (%s, %s)",  # noqa: S608 -- no input
            (_NAME, b64encode(key.header).decode()),
        )


def key_in(connection: Connection, url: str, name: str) -> Key | None:
    """Return the key of a database, None of one in clear text; refuse one whose key is not here."""
    header = header_in(connection)
    if header is None:
        return None
    secrets = secrets_for(url)
    if not secrets:
        raise StoreEncrypted(
            f"The texts in {name} are encrypted; name their key with MILEPOST_ENCRYPTION_KEY_FILE, "
            "or keep it with `milepost config set-secret encryption_key`."
        )
    key = key_among(secrets, header)
    if key is None:
        raise StoreEncrypted(
            f"The key that encryption_key names is not the one of {name}; nothing was changed."
        )
    return key


def key_of(connections: Connections) -> Key | None:
    """Return the key of the database of some connections."""
    with connections.alone() as connection, our_errors(connections.name):
        return key_in(connection, connections.url, connections.name)
