"""Rows as lines of JSON, the same bytes for the same rows, and what stands before and after them.

A file begins with a line that names the format and its version. Then each space has a line with
its name, followed by its rows, each an object that names its part (`parts.PARTS`); numbers of rows
count from 1 within a space. What can be made anew from the rest is left out: terms, traits, and
vectors of the static model. The last line counts rows and has the digest of all before it.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from milepost.errors import InvalidInput
from milepost.memory.values import ENTRIES, FOREVER
from milepost.storage.moving.parts import (
    FLAG,
    LABELS,
    MARKER,
    NUMBERED,
    PARTS,
    PLAIN,
    REAL,
    SPACE,
    VECTOR,
    Part,
)

FORMAT, VERSION = "milepost export", 1
# What is a store's and no memory: what waits to be done or taken back, who did and heard what.
_LEFT_OUT = ("deeds", "former", "synced", "answers", "audit", "audit_heads", "jobs")
TAKEN = tuple(part for part in PARTS if part.name not in _LEFT_OUT)
BY_NAME = {part.name: part for part in TAKEN}
# Of sessions under way, of plans that rest on deeds, of how far a model has read.
TOPICS_LEFT_OUT = frozenset(
    {
        MARKER,
        "session",
        "sessions",
        "session project",
        "consolidation",
        "graph read by",
        "asked",
        "recall",
        "removed",
    }
)
# Made anew from the text.
DERIVED = frozenset({"terms", "traits"})
_MEMORIES = BY_NAME["memories"]
# Whole numbers; the other plain columns are texts.
_INTEGERS = frozenset(
    "at recorded created completed valid_from valid_to retired position trust standing said "
    "step_count touched number tokens asked version read ended".split()
)
# Texts that hold JSON, which is written as it is and not as a text.
_JSON = frozenset(
    "metadata context tags artifacts insights relations checkpoints terms parameters undo value "
    "entry body".split()
)


def header() -> bytes:
    """Return the first line of a file."""
    return as_line({"format": FORMAT, "version": VERSION})


def as_line(value: Mapping[str, Any]) -> bytes:
    """Return an object as the one line that stands for it."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # half a character, which only an escape can tell
        return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def line_of(part: Part, row: Sequence[Any], home: str) -> bytes:
    """Return a neutral row as a line."""
    told: dict[str, Any] = {"part": part.name}
    for (name, kind), value in zip(part.columns, row, strict=True):
        if value is None or value == [] or (part is _MEMORIES and name in DERIVED):
            continue
        if name == "valid_to" and value == FOREVER:
            continue
        if kind == SPACE:
            if value != home:
                told["finds"] = value.removeprefix(ENTRIES).partition(" ")[0]
        else:
            told[name] = _told(name, kind, value)
    return as_line(told)


def _told(name: str, kind: str, value: Any) -> Any:
    if kind == VECTOR:
        return b64encode(value).decode()
    if name in _JSON and isinstance(value, str) and value[:1] in ("{", "["):
        try:
            known = json.loads(value)
            # Only what is the same text again may stand for it.
            return known if json.dumps(known) == value else value
        except (ValueError, RecursionError):
            return value
    return value


def row_of(told: Mapping[str, Any], home: str) -> tuple[Part, list[Any]]:
    """Return the neutral row that a line tells of; raise InvalidInput for one that is none."""
    part = BY_NAME.get(str(told.get("part")))
    if part is None:
        raise InvalidInput(f"There is no part {told.get('part')!r} of a store.")
    return part, [_value(part, told, *column, home) for column in part.columns]


def _value(part: Part, told: Mapping[str, Any], name: str, kind: str, home: str) -> Any:
    if part is _MEMORIES and name in DERIVED:
        return None
    if kind == SPACE:
        return _space(told.get("finds"), home)
    value = told.get(name)
    if value is None:
        return [] if kind == LABELS else FOREVER if name == "valid_to" else None
    if kind == VECTOR:
        return b64decode(_checked(part, name, value, str), validate=True)
    if kind == LABELS:
        return [_checked(part, name, label, str) for label in _checked(part, name, value, list)]
    if kind == PLAIN and name in _JSON and isinstance(value, dict | list):
        return json.dumps(value)
    if kind in (PLAIN, "kept", "undo") and name not in _INTEGERS:
        is_json = isinstance(value, dict | list) and name in _JSON
        return json.dumps(value) if is_json else _checked(part, name, value, str)
    if kind == FLAG:
        return _checked(part, name, value, bool)
    if kind == REAL:
        return float(_checked(part, name, value, int, float))
    return _checked(part, name, value, int)


def _checked(part: Part, name: str, value: Any, *types: type) -> Any:
    is_one = isinstance(value, types) and (bool in types or not isinstance(value, bool))
    if not is_one or (isinstance(value, int) and abs(value) > FOREVER):
        raise InvalidInput(f"{name} of {part.name} cannot be {value!r:.60}.")
    return value


def _space(finds: object, home: str) -> str:
    if finds is None:
        return home
    if not isinstance(finds, str) or not finds.isalpha():
        raise InvalidInput(f"Nothing is found by {finds!r:.60}.")
    return f"{ENTRIES}{finds} {home}"


def references(part: Part) -> list[tuple[int, str]]:
    """Return where a row refers to others, and of which table; its own number is the first."""
    return [(at, column.kind) for at, column in enumerate(part.columns) if column.kind in NUMBERED]
