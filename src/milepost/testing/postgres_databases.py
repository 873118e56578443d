"""Databases for tests on a server of PostgreSQL, of our own or given."""

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from urllib.parse import urlsplit

import psycopg
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed, Identifier, Literal

_MEMBER = """
DO $$ BEGIN CREATE ROLE milepost_member NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$
"""


class Databases:
    """Makes databases with pgvector; they belong to a role that may do nothing else."""

    _strategy = "wal_log"

    def __init__(self, admin_url: str, role: str, password: str) -> None:
        self.admin_url, self.role, self._password = admin_url, role, password
        self._template = f"{role}_template"

    def url(self, database: str) -> str:
        """Return the address of a database, for the role that owns it."""
        return self._at(f"{self.role}:{self._password}", database)

    def admin_url_of(self, url: str) -> str:
        """Return the address of the same database, for the superuser."""
        return self._at(urlsplit(self.admin_url).netloc.rpartition("@")[0], _name(url))

    def new_database(self, template: str | None = None) -> str:
        """Make a database and return its URL.

        template: the URL of one that it becomes a copy of, which nobody is connected to
        """
        name = f"{self.role}_{token_hex(6)}"
        self._make(name, _name(template) if template else self._template)
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self.command(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(_name(url))))

    def make_role(self) -> None:
        """Make the role, and the database that new ones are copies of."""
        role, password = Identifier(self.role), Literal(self._password)
        self.command(SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, password))
        # Nor may a role that is no administrator make the one that works for a single space.
        self.command(SQL(_MEMBER))
        self.command(SQL("GRANT milepost_member TO {}").format(role))
        self._make(self._template, "template1")
        # The owner of a database may not do this: pgvector is no trusted extension.
        with connected(self.admin_url_of(self.url(self._template))) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")

    def drop_role(self) -> None:
        """Remove the role and all its databases."""
        with connected(self.admin_url) as connection:
            owned = "SELECT datname FROM pg_database WHERE datdba = %s::regrole"
            for (name,) in connection.execute(owned, [self.role]).fetchall():
                self.drop_database(self.url(name))
            connection.execute(SQL("DROP ROLE {}").format(Identifier(self.role)))

    def command(self, statement: SQL | Composed) -> None:
        """Execute a statement as superuser."""
        with connected(self.admin_url) as connection:
            connection.execute(statement)

    def _make(self, name: str, template: str) -> None:
        making = SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY {}")
        names = (name, self.role, template, self._strategy)
        self.command(making.format(*map(Identifier, names)))

    def _at(self, account: str, database: str) -> str:
        there = urlsplit(self.admin_url)
        hosts = there.netloc.rpartition("@")[2]
        return there._replace(netloc=f"{account}@{hosts}", path=f"/{database}").geturl()


@contextmanager
def given_server(admin_url: str) -> Iterator[Databases]:
    """Use a server that runs already, as a role that is removed at the end with what it made."""
    databases = Databases(admin_url, f"milepost_test_{token_hex(4)}", token_hex(16))
    databases.make_role()
    try:
        yield databases
    finally:
        databases.drop_role()


def connected(url: str) -> psycopg.Connection[TupleRow]:
    """Connect for statements that stand for themselves."""
    return psycopg.connect(url, autocommit=True)


def _name(url: str) -> str:
    return urlsplit(url).path[1:]
