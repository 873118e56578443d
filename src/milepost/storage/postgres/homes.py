"""The homes of a database: each space with a number, which every id of its rows begins with."""

from milepost.storage.homes import home_of
from milepost.storage.postgres.connections import SCHEMA, Connections, our_errors
from milepost.text.words import ANALYSIS_VERSION

# Of a number, those that count within a home.
BITS = 33


class Homes:
    """Knows the numbers of homes; a home gets one when somebody first writes there."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}

    def number(self, name: str | None) -> int:
        """Return the number of a home; 0 for all of them, and for one where nothing is yet."""
        if name is None:
            return 0
        return self._numbers.get(name) or self._look(name)

    def ensure(self, name: str) -> int:
        """Return the number of a home, which is made if there is none."""
        return self.number(name) or self._make(name)

    def of_space(self, space: str) -> str | None:
        """Return the home of a space; that of a bin is told by the number of its deed."""
        return home_of(space, self.of_id)

    def of_id(self, number: int) -> str | None:
        """Return the home that an id belongs to; None when there is none."""
        home = number >> BITS
        if home not in self._names:
            self._ask(f"SELECT name, number FROM {SCHEMA}.homes WHERE number = %s", home)  # noqa: S608
        return self._names.get(home)

    def _look(self, name: str) -> int:
        self._ask(f"SELECT name, number FROM {SCHEMA}.homes WHERE name = %s", name)  # noqa: S608
        return self._numbers.get(name, 0)

    def _make(self, name: str) -> int:
        self._ask(
            f"INSERT INTO {SCHEMA}.homes (name, analysis) VALUES (%s, '{ANALYSIS_VERSION}') "  # noqa: S608
            "ON CONFLICT DO NOTHING RETURNING name, number",
            name,
        )
        return self.number(name)

    def _ask(self, statement: str, value: str | int) -> None:
        with self._connections.one() as connection, our_errors(self._connections.name):
            row = connection.execute(statement, (value,)).fetchone()
        if row is not None:
            self._numbers[row[0]], self._names[row[1]] = row[1], row[0]
