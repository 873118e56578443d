"""Tend what searches by meaning rest on: a graph over the vectors of each large home.

Few vectors are compared with a question one by one. Of many, a partial HNSW index of that home and
model finds the nearest. It ends at an id, so that nobody who stores waits for it; what came later
is compared one by one until there is so much that the graph is made anew.
"""

from hashlib import blake2b
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from milepost.storage.postgres.connections import SCHEMA, Connection, Connections, our_errors

# From so many vectors on there is a graph, and below so many there is none any more.
GRAPH_FROM, GRAPH_BELOW = 8_000, 4_000
# So many more, and such a share of all, may be left beside it.
REST_MAX, REST_SHARE = 8_000, 0.1
# A graph cannot be made of longer vectors.
_SIZE_MAX = 4_000
_MEMORY = "512MB"


class _Vectors(NamedTuple):
    """The vectors of a home by one model."""

    model: str
    size: int
    held: int
    last: int
    part: str
    # Of those that have a graph; None without one.
    upto: int | None
    name: str | None
    rest: int

    @property
    def lacks_graph(self) -> bool:
        if self.upto is None:
            return self.held > GRAPH_FROM and self.size <= _SIZE_MAX
        return self.rest > REST_MAX + REST_SHARE * self.held


def tend_grown(connections: Connections) -> None:
    """Tend the homes that grew much since somebody last did; each is one process's."""
    with connections.one() as connection, our_errors(connections.name):
        rows = connection.execute(
            f"UPDATE {SCHEMA}.homes SET tended = last "  # noqa: S608 -- no input
            "WHERE last > %s AND last - tended > %s RETURNING name",
            (GRAPH_FROM, REST_MAX // 4),
        ).fetchall()
    for (home,) in rows:
        tend(connections, home)


def tend(connections: Connections, home: str) -> None:
    """Make the graphs that a home lacks, and remove those that it needs no more."""
    # On a connection of its own, for its settings last as long as that.
    with our_errors(connections.name), psycopg.connect(connections.url, autocommit=True) as own:
        own.execute(
            "SELECT set_config('maintenance_work_mem', %s, false), "
            "set_config('search_path', %s, false)",
            (_MEMORY, f"{SCHEMA}, public"),
        )
        for vectors in _vectors_of(own, home):
            if vectors.lacks_graph:
                _make(own, home, vectors)
            elif vectors.name is not None and vectors.held < GRAPH_BELOW:
                _run(own, "DELETE FROM graphs WHERE name = {}", vectors.name)
        for name in _strays(own, home):
            _run(own, "DROP INDEX CONCURRENTLY IF EXISTS {}", sql.Identifier(name))


def _vectors_of(connection: Connection, home: str) -> list[_Vectors]:
    rows = connection.execute(
        """
        SELECT v.model, vector_dims(v.vector), count(*), max(v.memory_id),
               min(v.tableoid::regclass::text), min(g.upto), min(g.name),
               count(*) FILTER (WHERE v.memory_id > g.upto)
        FROM vectors AS v
        LEFT JOIN graphs AS g ON g.home = v.home AND g.model = v.model
            AND g.size = vector_dims(v.vector)
        WHERE v.home = %s GROUP BY 1, 2 ORDER BY 1, 3
        """,
        (home,),
    )
    return [_Vectors(*row) for row in rows]


def _make(connection: Connection, home: str, vectors: _Vectors) -> None:
    """Make a graph of all that is there; whoever writes or searches goes on meanwhile."""
    name = f"{_prefix(connection, home)}{_digest(vectors.model)}_{vectors.last % (1 << 33)}"
    _run(
        connection,
        "CREATE INDEX CONCURRENTLY {} ON {} USING hnsw ((vector::halfvec({})) halfvec_ip_ops) "
        "WHERE home = {} AND model = {} AND vector_dims(vector) = {} AND memory_id <= {}",
        sql.Identifier(name), sql.Identifier(vectors.part), vectors.size, home, vectors.model,
        vectors.size, vectors.last,
    )  # fmt: skip
    _run(
        connection,
        "INSERT INTO graphs (home, model, size, upto, name, part) VALUES ({}, {}, {}, {}, {}, {}) "
        "ON CONFLICT (home, model) DO UPDATE "
        "SET size = excluded.size, upto = excluded.upto, name = excluded.name",
        home, vectors.model, vectors.size, vectors.last, name, vectors.part,
    )  # fmt: skip


def _strays(connection: Connection, home: str) -> list[str]:
    """Return the indexes of a home that are no graph any more, or never were finished."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = %s::regnamespace "
        "AND c.relkind = 'i' AND starts_with(c.relname, %s) "
        "AND NOT EXISTS (SELECT 1 FROM graphs AS g WHERE g.name = c.relname)",
        (SCHEMA, _prefix(connection, home)),
    )
    return [row[0] for row in rows]


def _prefix(connection: Connection, home: str) -> str:
    row = connection.execute("SELECT number FROM homes WHERE name = %s", (home,)).fetchone()
    return f"graph_{row[0] if row else 0}_"


def _digest(model: str) -> str:
    return blake2b(model.encode("utf-8", "replace"), digest_size=4).hexdigest()


def _run(connection: Connection, statement: str, *values: Any) -> None:
    parts = [v if isinstance(v, sql.Composable) else sql.Literal(v) for v in values]
    connection.execute(sql.SQL(statement).format(*parts))
