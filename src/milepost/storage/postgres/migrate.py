"""Bring a database to the schema that this Milepost knows, once, however many servers start."""

from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg import errors

from milepost.errors import StoreUnavailable
from milepost.storage.postgres.connections import SCHEMA, Connection, Connections, our_errors
from milepost.storage.postgres.transaction import MEMBER

_POSTGRES_MIN, _VECTOR_MIN = 15, (0, 8, 2)
_LOCK = 0x6D696C65706F7374
# A server that was not heard of for so long is gone.
LIVING_S = 60.0


class Schema(NamedTuple):
    """How many scripts were applied to a database, and how many whoever uses it must know."""

    version: int
    needed: int


class Server(NamedTuple):
    """A process that uses a database, how many scripts it knows, and when it last said so."""

    name: str
    schema: int
    seen_s: float


def contracts(script: str) -> bool:
    """Whether a script takes away what servers of before still need; others only add."""
    return script.startswith("-- contracts")


def migrate(connections: Connections, scripts: Sequence[str]) -> int:
    """Apply the scripts that a database lacks; return how many were.

    Others who start at the same time wait for it. What takes something away waits until no server
    is left that knows only what was before.
    """
    with connections.alone() as connection, our_errors(connections.name):
        refuse_unfit(connection, connections.name)
        schema = schema_of(connection)
        if schema.needed > len(scripts):
            raise StoreUnavailable(
                f"{connections.name} was written by a newer Milepost (schema {schema.version}, "
                f"this one knows {len(scripts)}); install that version or a later one."
            )
        if runnable(connection, scripts, schema.version) == schema.version:
            return 0
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            return _apply(connection, scripts, connections.name)


def runnable(connection: Connection, scripts: Sequence[str], known: int) -> int:
    """Return up to which script a database can be brought now."""
    for place, script in enumerate(scripts[known:], known + 1):
        if contracts(script) and older_servers(connection, place):
            return place - 1
    return max(known, len(scripts))


def older_servers(connection: Connection, schema: int) -> list[Server]:
    """Return the servers that live and do not know a script."""
    there = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.servers",)).fetchone()
    if there is None or there[0] is None:
        return []
    rows = connection.execute(
        f"SELECT name, schema, extract(epoch FROM now() - seen)::float8 FROM {SCHEMA}.servers "  # noqa: S608 -- no input
        "WHERE schema < %s AND seen > now() - make_interval(secs => %s) ORDER BY name",
        (schema, LIVING_S),
    )
    return [Server(*row) for row in rows]


def schema_of(connection: Connection) -> Schema:
    """Return how far the schema of a database is."""
    there = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.meta",)).fetchone()
    if there is None or there[0] is None:
        return Schema(0, 0)
    rows = connection.execute(
        f"SELECT key, value::int FROM {SCHEMA}.meta WHERE key IN ('schema', 'needed')"  # noqa: S608 -- no input
    )
    known = {row[0]: row[1] for row in rows}
    return Schema(known.get("schema", 0), known.get("needed", 0))


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


def _apply(connection: Connection, scripts: Sequence[str], name: str) -> int:
    _prepare(connection, name)
    connection.execute(
        "SELECT set_config('search_path', %s, true), set_config('statement_timeout', '0', true)",
        (f"{SCHEMA}, public",),
    )
    known = schema_of(connection).version  # another may have been quicker
    reached = runnable(connection, scripts, known)
    for script in scripts[known:reached]:
        connection.execute(script.encode())
    last = [place for place, script in enumerate(scripts[:reached], 1) if contracts(script)]
    for key, value in (("schema", reached), ("needed", max(last, default=0))):
        connection.execute(
            "INSERT INTO meta (key, value) VALUES (%s, %s) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, str(value)),
        )
    return reached - known


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
