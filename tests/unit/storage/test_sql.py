"""Statements are found by their names, whichever file they lie in."""

import re
from pathlib import Path

from milepost.storage.sqlite import sql


def test_the_statements_of_a_noun_that_is_added_are_found(tmp_path: Path) -> None:
    (tmp_path / "events.sql").write_text("-- name: add_event\nINSERT INTO events VALUES (?)\n")
    (tmp_path / "graph.sql").write_text("-- name: edges\nSELECT a,\n       b FROM edges\n")

    assert sql.statements(tmp_path) == {
        "add_event": "INSERT INTO events VALUES (?)",
        "edges": "SELECT a,\n       b FROM edges",
    }


def test_no_two_statements_share_a_name() -> None:
    files = Path(sql.__file__).parent.glob("*.sql")
    names = re.findall(
        r"(?m)^-- name: (\w+)$", "\n".join(file.read_text("utf-8") for file in files)
    )

    assert sorted(names) == sorted(sql.statements())
