"""Read the named statements that lie beside this file, and those that every database shares."""

import re
from functools import cache
from pathlib import Path

from milepost.storage.named_statements import read_statements

_HERE = Path(__file__).parent
# For a list the index is taken; of a join the planner believes that it finds very many.
_LISTED = re.compile(r"IN \((SELECT value FROM (?:numbers|texts)\(.+?\))\)")
# Quoted text and comments are left alone, and so is what casts a value.
_PARTS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|::|:(\w+)|\?|%")


@cache
def statements() -> dict[str, str]:
    """Return all statements by name, with the placeholders of psycopg."""
    found = read_statements(_HERE).items()
    return {name: with_placeholders(_listing(text)) for name, text in found}


def _listing(statement: str) -> str:
    return _LISTED.sub(r"= ANY (ARRAY(\1))", statement)


@cache
def with_placeholders(statement: str) -> str:
    """Return a statement with %s for each question mark and %(name)s for each :name."""
    return _PARTS.sub(_placeholder, statement)


def _placeholder(part: re.Match[str]) -> str:
    text = part[0]
    if text == "?":
        return "%s"
    if part[1] is not None:
        return f"%({part[1]})s"
    return text.replace("%", "%%")


@cache
def migrations() -> tuple[str, ...]:
    """Return the scripts that lead from an empty database to the newest schema, in order."""
    return tuple(script.read_text("utf-8") for script in _scripts())


@cache
def migration_names() -> tuple[str, ...]:
    """Return what the scripts are called, in order."""
    return tuple(script.stem for script in _scripts())


def _scripts() -> list[Path]:
    return sorted((_HERE / "migrations").glob("*.sql"))
