"""Rows between databases: numbers of rows shifted, and digests that are the same everywhere."""

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from milepost.memory.values import BIN, bin_of
from milepost.storage.moving.parts import (
    DEEDS,
    ENTITIES,
    KEPT,
    MEMORIES,
    NUMBERED,
    OBSERVATIONS,
    PARTS,
    PAYLOAD,
    RELATIONS,
    SPACE,
    STATE,
    UNDO,
    VECTOR,
    Part,
)

# Makes the number of a row of a table another.
Shift = Callable[[str, int], int]

# What an undone merge puts back, by the table whose numbers it lists.
_UNDO = {
    "keep": ENTITIES,
    "other": ENTITIES,
    "entities": ENTITIES,
    "sources": RELATIONS,
    "targets": RELATIONS,
    "loops": RELATIONS,
    "observations": OBSERVATIONS,
    "mentions": MEMORIES,
}
_SCALE_BYTES = 4
_DIGEST_BITS = 128


class Digest(NamedTuple):
    """How many rows a part has, and the sum of their digests, in whatever order they come."""

    rows: int
    total: str


def shifted(part: Part, row: Sequence[Any], shift: Shift) -> list[Any]:
    """Return a row with every number of a row in it shifted."""
    values = list(row)
    for place, (_, kind) in enumerate(part.columns):
        value = values[place]
        if value is None:
            continue
        if kind in NUMBERED:
            values[place] = shift(kind, value)
        elif kind in _SHIFTED:
            values[place] = _SHIFTED[kind](value, shift)
        elif kind in _BY_TOPIC:
            topic, key = (values[at] for at in part.places(("topic", "key")))
            values[place] = _BY_TOPIC[kind](topic, key, value, shift)
    return values


def shifted_key(part: Part, key: Sequence[Any], shift: Shift) -> tuple[Any, ...]:
    """Return a key with every number of a row in it shifted."""
    return part.key_of(shifted(part, part.row_of(key), shift))


def keys_by_table(
    noted: Iterable[tuple[str, str]], shift: Shift
) -> dict[str, list[tuple[Any, ...]]]:
    """Return by table the keys that were noted there as JSON, shifted."""
    parts = {part.table: part for part in PARTS}
    keys: dict[str, list[tuple[Any, ...]]] = {}
    for table, key in noted:
        keys.setdefault(table, []).append(shifted_key(parts[table], json.loads(key), shift))
    return keys


def _space(space: str, shift: Shift) -> str:
    if not space.startswith(BIN):
        return space
    return bin_of(shift(DEEDS, int(space.removeprefix(BIN))))


def _state(text: str, shift: Shift) -> str:
    state = json.loads(text)
    if state.get("superseded_by") is not None:
        state["superseded_by"] = shift(MEMORIES, state["superseded_by"])
    return json.dumps(state)


def _undo(text: str, shift: Shift) -> str:
    undo = json.loads(text)
    for name, table in _UNDO.items():
        if name in undo:
            numbers = undo[name]
            undo[name] = (
                [shift(table, number) for number in numbers]
                if isinstance(numbers, list)
                else shift(table, numbers)
            )
    if "stated" in undo:
        undo["stated"] = bool(undo["stated"])
    if "spans" in undo:
        undo["spans"] = [[shift(RELATIONS, number), *rest] for number, *rest in undo["spans"]]
    return json.dumps(undo)


def _kept(topic: str, key: str, text: str, shift: Shift) -> str:
    """Shift the deeds of consolidations, and up to which memory a model has read."""
    if topic == "consolidation":
        known = json.loads(text)
        if not isinstance(known, dict):
            return text
        if key:
            known["deed"] = _or_none(known["deed"], DEEDS, shift)
            return json.dumps(known)
        return json.dumps({run: _or_none(deed, DEEDS, shift) for run, deed in known.items()})
    if topic == "graph read by":
        until, busy_us = json.loads(text)
        return json.dumps([{name: shift(MEMORIES, i) for name, i in until.items()}, busy_us])
    return text


def _payload(topic: str, key: str, text: str, shift: Shift) -> str:
    """Shift the memory from which learning goes on."""
    del key
    if topic != "graph":
        return text
    return json.dumps({"after": shift(MEMORIES, json.loads(text)["after"])})


def _or_none(number: int | None, table: str, shift: Shift) -> int | None:
    return None if number is None else shift(table, number)


_SHIFTED: dict[str, Callable[[Any, Shift], Any]] = {SPACE: _space, STATE: _state, UNDO: _undo}
_BY_TOPIC = {KEPT: _kept, PAYLOAD: _payload}


def digest_of(part: Part, rows: Iterable[Sequence[Any]]) -> Digest:
    """Return the digest of neutral rows; of vectors their rounded values count, not the scale."""
    count = total = 0
    for row in rows:
        total += int.from_bytes(row_digest(part, row))
        count += 1
    return Digest(count, f"{total % (1 << _DIGEST_BITS):032x}")


def row_digest(part: Part, row: Sequence[Any]) -> bytes:
    """Return the digest of a neutral row."""
    plain: list[Any] = []
    packed: list[bytes] = []
    for column, value in zip(part.columns, row, strict=True):
        if isinstance(value, bytes):
            packed.append(value[_SCALE_BYTES:] if column.kind == VECTOR else value)
            plain.append([len(value)])
        else:
            plain.append(value)
    told = json.dumps(plain).encode() + b"".join(packed)
    return blake2b(told, digest_size=_DIGEST_BITS // 8).digest()
