"""Read the named statements and the migrations that lie beside this file."""

from functools import cache
from pathlib import Path

from milepost.storage.named_statements import read_statements

_HERE = Path(__file__).parent
# What the statements that are shared call the rows of a list, which comes as JSON, and a sign.
_WORDS = {"texts(": "json_each(", "numbers(": "json_each(", "chr(": "char("}


@cache
def statements() -> dict[str, str]:
    """Return all statements by name."""
    return {name: in_dialect(text) for name, text in read_statements(_HERE).items()}


def in_dialect(statement: str) -> str:
    """Return a statement that every database shares as SQLite takes it."""
    for shared, own in _WORDS.items():
        statement = statement.replace(shared, own)
    return statement


@cache
def migrations() -> tuple[str, ...]:
    """Return the scripts that lead from an empty file to the newest schema, in order."""
    return tuple(script.read_text("utf-8") for script in _scripts())


@cache
def migration_names() -> tuple[str, ...]:
    """Return what the scripts are called, in order."""
    return tuple(script.stem for script in _scripts())


def _scripts() -> list[Path]:
    return sorted((_HERE / "migrations").glob("*.sql"))
