"""Look after a database: what it holds, whether all is in place, the room it takes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from psycopg.sql import SQL, Identifier

from milepost.errors import StoreUnavailable
from milepost.storage.moving.parts import MARKER, PARTS
from milepost.storage.options import DatabaseOptions
from milepost.storage.postgres.connections import SCHEMA, Connection, Connections, our_errors
from milepost.storage.postgres.migrate import (
    contracts,
    migrate,
    older_servers,
    refuse_unfit,
    runnable,
    schema_of,
)
from milepost.storage.postgres.sql import migration_names, migrations, statements
from milepost.storage.postgres.upkeep import tend
from milepost.text.lines import counted
from milepost.upkeep.values import BROKEN, NOTE, OK, Check, PendingMigration, SchemaState, StoreInfo

TAGS_SHOWN = 10
# More rows than this wait to be counted: nobody writes any more, or nobody counts.
_UNCOUNTED_MANY = 1_000
_LAG_S_MANY = 10.0
_EVERYBODY = 1 << 30

Progress = Callable[[int, int], None]


class Upkeep:
    """A database as its owner looks after it, on one connection."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._db, self.name = connection, name
        self._sql = statements()

    def rows(self, name: str, *values: Any) -> list[Any]:
        """Return what a statement finds."""
        with our_errors(self.name), self._db.transaction():
            return self._run(name, *values)

    def _run(self, name: str, *values: Any) -> list[Any]:
        self._db.execute(
            "SELECT set_config('search_path', %s, true), "
            "set_config('statement_timeout', '0', true)",
            (f"{SCHEMA}, public",),
        )
        cursor = self._db.execute(self._sql[name].encode(), values)
        return cursor.fetchall() if cursor.description else []

    def in_one(self, home: str, *names: str) -> None:
        """Run statements about a home in one transaction, while nobody writes to it."""
        with our_errors(self.name), self._db.transaction():
            self._run("lock_home", home)
            for name in names:
                self._run(name, home)

    def alone(self, statement: str, table: str) -> None:
        """Run a command about a table or an index that takes no part in a transaction."""
        with our_errors(self.name):
            self._db.execute(SQL(statement).format(Identifier(SCHEMA, table)))

    @property
    def connection(self) -> Connection:
        """What is asked of the server itself."""
        return self._db


@contextmanager
def looking_after(url: str) -> Iterator[Upkeep]:
    """Connect for upkeep; nothing is changed by that."""
    connections = Connections(url, DatabaseOptions(connections=1, prepare=False))
    try:
        with connections.alone() as connection:
            yield Upkeep(connection, connections.name)
    finally:
        connections.close()


@contextmanager
def _of_store(url: str) -> Iterator[Upkeep]:
    """Connect to a database whose schema this version knows, and bring it there first."""
    connections = Connections(url, DatabaseOptions(connections=1, prepare=False))
    try:
        migrate(connections, migrations())
        with connections.alone() as connection:
            yield Upkeep(connection, connections.name)
    finally:
        connections.close()


def info(url: str) -> StoreInfo:
    """Return what a store holds and how large it is."""
    with _of_store(url) as database:
        count, hidden, oldest, newest, held = database.rows(
            "store_counts", time.time_ns() // 1_000
        )[0]
        sizes = database.rows("table_sizes")
        episodes, patterns = database.rows("store_experience")[0]
        return StoreInfo(
            file=database.name,
            bytes=sum(table for _, table, _ in sizes),
            free_bytes=0,
            index_bytes=sum(indexes for *_, indexes in sizes),
            segments=len(database.rows("search_indexes")),
            schema=schema_of(database.connection).version,
            memories=count,
            hidden=hidden,
            oldest=None if oldest is None else oldest / 1e6,
            newest=None if newest is None else newest / 1e6,
            kinds=dict(database.rows("store_kinds")),
            spaces=dict(database.rows("store_spaces")),
            tags=dict(database.rows("store_tags", TAGS_SHOWN)),
            vectors=dict(database.rows("store_vectors")),
            episodes=episodes,
            patterns=patterns,
            held=held,
            tables={name: table + indexes for name, table, indexes in sizes},
        )


def sizes(url: str) -> tuple[int, int]:
    """Return how large the tables and their indexes are, in bytes."""
    with looking_after(url) as database:
        found = database.rows("table_sizes")
        return sum(row[1] for row in found), sum(row[2] for row in found)


def vectors_of(url: str, model: str) -> int:
    """Count the memories that have a vector of a model."""
    with _of_store(url) as database:
        return int(database.rows("count_model_vectors", model)[0][0])


def vacuum(url: str, progress: Progress) -> None:
    """Free what deletions and changes left in the tables, and let the planner know them."""
    tables = list(dict.fromkeys(part.table for part in PARTS))
    tables += ["word_counts", "space_counts", "uncounted"]
    with _of_store(url) as database:
        for done, table in enumerate(tables):
            progress(done, len(tables))
            database.alone("VACUUM (ANALYZE) {}", table)


def reindex(url: str, progress: Progress) -> str:
    """Make anew what finds memories, while others search, and count all words; say what was."""
    with _of_store(url) as database:
        names = [row[0] for row in database.rows("search_indexes")]
        homes = [row[0] for row in database.rows("home_names")]
        total = len(names) + len(homes)
        for done, name in enumerate(names):
            progress(done, total)
            database.alone("REINDEX INDEX CONCURRENTLY {}", name)
        for done, home in enumerate(homes, len(names)):
            progress(done, total)
            database.in_one(
                home,
                *("forget_uncounted", "forget_word_counts", "forget_space_counts"),
                *("count_all_words", "count_all_spaces"),
            )
        return f"made {counted(len(names), 'part')} of indexes anew and counted all words"


def sync(url: str, progress: Progress) -> str:
    """Count the words of what was written and not counted yet, and tend graphs of vectors."""
    with _of_store(url) as database:
        homes = [row[0] for row in database.rows("home_names")]
        waiting = database.rows("uncounted_rows")
        for done, (home, _) in enumerate(waiting):
            progress(done, len(waiting))
            database.in_one(home, "count_waiting")
        changes = sum(count for _, count in waiting)
    connections = Connections(url, DatabaseOptions(connections=1, prepare=False))
    try:
        for home in homes:
            tend(connections, home)
    finally:
        connections.close()
    return f"counted the words of {counted(changes, 'change')}"


def refuse_older(url: str) -> None:
    """Raise when opening a database would change its schema."""
    state = schema_state(url)
    if any(script.safe for script in state.pending):
        raise StoreUnavailable(
            f"{state.file} was written by an older Milepost, and a dry run leaves it as it is; run "
            "`milepost migrate` once, which brings it up to date, and try again."
        )


def check(url: str, *, quick: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is wrong with the tables, and with what finds memories, in words."""
    with _of_store(url) as database:
        problems = [
            f"{table} can be read past its space" for (table,) in database.rows("open_tables")
        ]
        found = [f"the index {name} is broken" for (name,) in database.rows("broken_indexes")]
        wrong = 0 if quick else database.rows("miscounted")[0][0]
        if wrong:
            found.append(f"{counted(wrong, 'word')} counted wrongly")
        return tuple(problems), tuple(found)


def schema_state(url: str) -> SchemaState:
    """Return how far the schema is, and what would run now."""
    scripts, names = migrations(), migration_names()
    with looking_after(url) as database, our_errors(database.name):
        refuse_unfit(database.connection, database.name)
        version = schema_of(database.connection).version
        reached = runnable(database.connection, scripts, version)
        pending = []
        for place, name in enumerate(names[version:], version + 1):
            shrinks = contracts(scripts[place - 1])
            waits = older_servers(database.connection, place) if shrinks else []
            told = [f"{s.name} knows {s.schema}, seen {s.seen_s:.0f} s ago" for s in waits]
            pending.append(PendingMigration(name, shrinks, place <= reached, tuple(told)))
        return SchemaState(database.name, version, len(scripts), tuple(pending))


def health(url: str) -> Iterator[Check]:
    """Yield what was looked at of a database, and what would repair it."""
    began = time.perf_counter()
    with looking_after(url) as database, our_errors(database.name):
        refuse_unfit(database.connection, database.name)
        server, vector = database.rows("versions")[0]
        took_ms = (time.perf_counter() - began) * 1e3
        yield Check("database", OK, f"{database.name} answers in {took_ms:.0f} ms")
        yield Check("server", OK, f"PostgreSQL {server}, pgvector {vector or 'not made yet'}")
        schema = schema_of(database.connection)
        yield _schema(schema.version)
        if schema.version == 0:
            return
        yield _walls(database)
        yield _servers(database)
        used, most = database.rows("connections")[0]
        many = used > 0.9 * most
        repair = "raise max_connections, or put a pooler before it" if many else ""
        yield Check("connections", NOTE if many else OK, f"{used} of {most} in use", repair)
        yield _replication(database)
        yield from _derived(database)


def _schema(version: int) -> Check:
    known = len(migrations())
    if version < known:
        found = f"{version} of {known} scripts were applied"
        return Check("schema", NOTE, found, "`milepost migrate` applies the rest")
    newer = f", which is newer than the {known} of this version" if version > known else ""
    return Check("schema", OK, f"{version}{newer}")


def _walls(database: Upkeep) -> Check:
    open_tables = [row[0] for row in database.rows("open_tables")]
    if open_tables:
        found = f"no policy holds for {', '.join(open_tables)}"
        return Check("walls", BROKEN, found, "enable row level security there, as on the others")
    return Check("walls", OK, "every table shows a space to whoever works for it, and to no other")


def _servers(database: Upkeep) -> Check:
    servers = older_servers(database.connection, _EVERYBODY)
    known = sorted({server.schema for server in servers})
    versions = f", which know the schemas {', '.join(map(str, known))}" if known else ""
    return Check("servers", OK, f"{counted(len(servers), 'server')}{versions}")


def _replication(database: Upkeep) -> Check:
    is_replica, behind_s = database.rows("recovery")[0]
    if is_replica:
        found = f"this is a replica, {behind_s or 0:.1f} s behind"
        return Check("replication", NOTE, found, "name the primary to write")
    replicas = database.rows("replicas")
    if not replicas:
        return Check("replication", OK, "no replica")
    late = max(lag for *_, lag in replicas)
    told = "; ".join(f"{n} {state} ({sync}), {lag:.1f} s" for n, state, sync, lag in replicas)
    return Check("replication", NOTE if late > _LAG_S_MANY else OK, told)


def _derived(database: Upkeep) -> Iterator[Check]:
    """Yield how what follows from memories stands."""
    jobs, dead = database.rows("jobs_of_all")[0]
    finding = f"{counted(jobs, 'job')}, {dead} of them given up"
    repair = "`milepost jobs retry` has them tried again" if dead else ""
    yield Check("jobs", NOTE if dead else OK, finding, repair)
    waiting = sum(count for _, count in database.rows("uncounted_rows"))
    many = waiting > _UNCOUNTED_MANY
    repair = "`milepost storage sync` counts them" if many else ""
    found = f"the words of {counted(waiting, 'change')} wait to be counted"
    yield Check("words", NOTE if many else OK, found, repair)
    broken = [row[0] for row in database.rows("broken_indexes")]
    repair = "`milepost storage reindex` makes it anew" if broken else ""
    found = f"broken: {', '.join(broken)}" if broken else "all are whole"
    yield Check("indexes", BROKEN if broken else OK, found, repair)
    copies = [row[0] for row in database.rows("unfinished_copies", MARKER)]
    if copies:
        repair = "`milepost migrate --from … --to …` again goes on with it"
        yield Check("copies", NOTE, f"never finished: {', '.join(copies)}", repair)
