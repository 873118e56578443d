"""Bring a database to the schema that this Milepost knows, once, however many servers start."""

from collections.abc import Sequence

import psycopg
from psycopg import errors

from milepost.errors import StoreUnavailable
from milepost.storage.postgres.connections import SCHEMA, Connection, Connections, our_errors

MEMBER = "milepost_member"
_POSTGRES_MIN, _VECTOR_MIN = 15, (0, 8, 2)
_LOCK = 0x6D696C65706F7374


def migrate(connections: Connections, scripts: Sequence[str]) -> None:
    """Apply the scripts that a database lacks; others who start at the same time wait for it."""
    with connections.one() as connection, our_errors(connections.name):
        refuse_unfit(connection, connections.name)
        known = schema_version(connection)
        if known > len(scripts):
            raise StoreUnavailable(
                f"{connections.name} was written by a newer Milepost (schema {known}, this one "
                f"knows {len(scripts)}); install that version or a later one."
            )
        if known < len(scripts):
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                _apply(connection, scripts, connections.name)


def schema_version(connection: Connection) -> int:
    """Return how many scripts were applied to a database."""
    there = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.meta",)).fetchone()
    if there is None or there[0] is None:
        return 0
    row = connection.execute(
        f"SELECT value::int FROM {SCHEMA}.meta WHERE key = 'schema'"  # noqa: S608 -- no input
    ).fetchone()
    return row[0] if row else 0


def refuse_unfit(connection: Connection, name: str) -> None:
    """Raise when a server is too old, or pgvector is."""
    version = connection.info.server_version // 10_000
    if version < _POSTGRES_MIN:
        raise StoreUnavailable(
            f"{name} is PostgreSQL {version}; Milepost needs {_POSTGRES_MIN} or newer."
        )
    row = connection.execute(
        "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
        "(SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))"
    ).fetchone()
    found = row[0] if row else None
    if found is None:
        raise StoreUnavailable(
            f"{name} has no pgvector; install the extension `vector` "
            f"{'.'.join(map(str, _VECTOR_MIN))} or newer on the server."
        )
    if tuple(int(part) for part in found.split(".")) < _VECTOR_MIN:
        raise StoreUnavailable(
            f"{name} has pgvector {found}, which has a known hole; Milepost needs "
            f"{'.'.join(map(str, _VECTOR_MIN))} or newer: update it, then run "
            "`ALTER EXTENSION vector UPDATE`."
        )


def _apply(connection: Connection, scripts: Sequence[str], name: str) -> None:
    _prepare(connection, name)
    connection.execute(
        "SELECT set_config('search_path', %s, true), set_config('statement_timeout', '0', true)",
        (f"{SCHEMA}, public",),
    )
    known = schema_version(connection)  # another may have been quicker
    for script in scripts[known:]:
        connection.execute(script.encode())
    connection.execute(
        "INSERT INTO meta (key, value) VALUES ('schema', %s) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(len(scripts)),),
    )


def _prepare(connection: Connection, name: str) -> None:
    """Make what only somebody with rights can make: the extension, the role, the schema."""
    _try(connection, "CREATE EXTENSION IF NOT EXISTS vector", name)
    row = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (MEMBER,)).fetchone()
    if row is None:
        _try(connection, f"CREATE ROLE {MEMBER} NOLOGIN", name, errors.DuplicateObject)
    member = "SELECT pg_has_role(current_user, %s, 'SET')"
    if connection.info.server_version < 160_000:
        member = "SELECT pg_has_role(current_user, %s, 'MEMBER')"
    allowed = connection.execute(member, (MEMBER,)).fetchone()
    if allowed is None or not allowed[0]:
        _try(connection, f"GRANT {MEMBER} TO CURRENT_USER", name)
    _try(connection, f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}", name)


def _try(connection: Connection, statement: str, name: str, *harmless: type[psycopg.Error]) -> None:
    try:
        with connection.transaction():
            connection.execute(statement.encode())
    except harmless:
        pass  # another database of the same server was quicker
    except errors.InsufficientPrivilege as problem:
        raise StoreUnavailable(
            f"{name}: this user may not run `{statement}`; let an administrator run it once "
            f"in this database (for roles: and `GRANT {MEMBER} TO` this user), then try again."
        ) from problem
