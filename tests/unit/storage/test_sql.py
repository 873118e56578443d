"""Statements are found by their names, whichever file they lie in, in the words of a database."""

import re
from pathlib import Path

import pytest

from milepost.storage import named_statements
from milepost.storage.postgres import sql as postgres
from milepost.storage.sqlite import sql as sqlite

_NAMES = re.compile(r"(?m)^-- name: (\w+)$")


def test_the_statements_of_a_noun_that_is_added_are_found(tmp_path: Path) -> None:
    (tmp_path / "events.sql").write_text("-- name: add_event\nINSERT INTO events VALUES (?)\n")
    (tmp_path / "graph.sql").write_text("-- name: edges\nSELECT a,\n       b FROM edges\n")

    found = named_statements.read_statements(tmp_path)

    assert found["add_event"] == "INSERT INTO events VALUES (?)"
    assert found["edges"] == "SELECT a,\n       b FROM edges"


@pytest.mark.parametrize("dialect", [sqlite, postgres])
def test_no_two_statements_share_a_name(dialect: object) -> None:
    here = Path(dialect.__file__).parent  # type: ignore[attr-defined]
    files = [*here.glob("*.sql"), *here.parent.glob("tables/*.sql")]

    names = _NAMES.findall("\n".join(file.read_text("utf-8") for file in files))

    assert sorted(names) == sorted(set(names))
    assert set(names) == set(dialect.statements())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("WHERE id = ? AND name = :name", "WHERE id = %s AND name = %(name)s"),
        (
            "SELECT :a::text, 'a ? :b 5%', 5 % 2 -- :no?",
            "SELECT %(a)s::text, 'a ? :b 5%%', 5 %% 2 -- :no?",
        ),
    ],
)
def test_values_stand_where_psycopg_wants_them(statement: str, expected: str) -> None:
    assert postgres.with_placeholders(statement) == expected
